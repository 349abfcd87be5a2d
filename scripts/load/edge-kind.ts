/** Whether the Cache API works at a URL's host: on workers.dev, previews among it, it does nothing. */
export function hasCacheApi(url: string): boolean {
  return !/(^|\.)workers\.dev$/.test(new URL(url).hostname.replace(/\.$/, ""));
}
