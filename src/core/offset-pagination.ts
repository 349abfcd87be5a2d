/** A page of a list as GitLab's REST API counts them: the first is 1. */
export type Paging = { readonly page: number; readonly perPage: number };

export type ListPage = Paging & {
  /** How many items all pages have; `undefined` where that is not counted, as there are very many. */
  readonly total: number | undefined;
  readonly hasNext: boolean;
  readonly isEmpty: boolean;
};

/** Above so many items GitLab does not count them (`Kaminari::ActiveRecordRelationMethods::MAX_COUNT_LIMIT`). */
export const COUNT_LIMIT = 10_000;

/**
 * The header fields that GitLab describes a page of a list with (`Gitlab::Pagination::OffsetHeaderBuilder`); `urlOf` is the
 * address of another page. An empty list has one page, and a page after the last has no neighbours.
 */
export function pagingHeaders(
  { page, perPage, total, hasNext, isEmpty }: ListPage,
  urlOf: (page: number) => string,
): [name: string, value: string][] {
  const pages = total === undefined ? undefined : Math.max(Math.ceil(total / perPage), 1);
  const next = hasNext ? page + 1 : undefined;
  const previous = page > 1 && !isEmpty ? page - 1 : undefined;
  const counted: [string, string][] =
    total === undefined
      ? []
      : [
          ["X-Total", String(total)],
          ["X-Total-Pages", String(pages)],
        ];
  const relations = [
    ["prev", previous],
    ["next", next],
    ["first", 1],
    ["last", pages],
  ] as const;
  const links = relations.flatMap(([relation, target]) =>
    target === undefined ? [] : [`<${urlOf(target)}>; rel="${relation}"`],
  );
  return [
    ["X-Page", String(page)],
    ["X-Per-Page", String(perPage)],
    ["X-Next-Page", String(next ?? "")],
    ["X-Prev-Page", String(previous ?? "")],
    ...counted,
    ["Link", links.join(", ")],
  ];
}
