/** A `Link` of GitLab's in which a project is named in another way, in the path and in the query of every URL. */
export function projectSpelledAs(link: string, from: string, to: string): string {
  const [before, after] = [encodeURIComponent(from), encodeURIComponent(to)];
  return link.replaceAll(/<([^<>]*)>/g, (_reference, url: string) => {
    const [place = "", ...query] = url.split("?");
    const named = place.replace(`/projects/${before}/`, `/projects/${after}/`);
    const pairs = query.join("?").split("&");
    const spelled = pairs.map((pair) => (pair === `id=${before}` ? `id=${after}` : pair));
    return `<${named}${query.length === 0 ? "" : `?${spelled.join("&")}`}>`;
  });
}
