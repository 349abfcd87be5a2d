/** A `Link` of GitLab's with a project's path in the place of its number, in the path and in the query of every URL. */
export function projectSpelledAs(link: string, number: string, path: string): string {
  const spelled = encodeURIComponent(path);
  return link.replaceAll(/<([^<>]*)>/g, (_reference, url: string) => {
    const [before = "", ...query] = url.split("?");
    const place = before.replace(`/projects/${number}/`, `/projects/${spelled}/`);
    const pairs = query.join("?").split("&");
    const named = pairs.map((pair) => (pair === `id=${number}` ? `id=${spelled}` : pair));
    return `<${place}${query.length === 0 ? "" : `?${named.join("&")}`}>`;
  });
}
