import { startNginx, type Nginx } from "./nginx.ts";

export type ForgeCacheOptions = {
  /** Host and port of the origin. */
  readonly origin: string;
  /** The cheapest question about the project to which the origin has an answer. */
  readonly authPath: string;
  /** How long an answer is kept. */
  readonly freshS: number;
};

/** An nginx that asks the forge about each asker and keeps answers for all of them, as it is commonly set up. */
export async function startForgeNginx({ origin, authPath, freshS }: ForgeCacheOptions): Promise<Nginx> {
  const locations = `
    location = /auth {
      internal;
      proxy_method HEAD;
      proxy_pass_request_body off;
      proxy_set_header Connection "";
      proxy_set_header Content-Length "";
      proxy_pass http://origin${authPath};
    }
    location / {
      auth_request /auth;
      proxy_cache files;
      proxy_cache_key $scheme$host$request_uri;
      proxy_cache_valid 200 ${freshS}s;
      proxy_ignore_headers Cache-Control Set-Cookie Expires Vary;
      proxy_cache_lock on;
      add_header X-Cache-Status $upstream_cache_status;
      proxy_pass http://origin;
    }`;
  return await startNginx({ origin, locations });
}
