import { startNginx, type Nginx } from "./nginx.ts";

const SLICE = "1m";

/**
 * An nginx as Ceph publishes it: RGW's auth API is asked about each request, the body comes from the cache. Of the published
 * file without what needs modules that Debian has not (its own signing of fills, and Lua): each fill is made with the
 * client's own signature. Connections to RGW are kept, which they are not there.
 */
export async function startObjectNginx(
  origin: string,
  { slices }: { readonly slices: boolean },
): Promise<Nginx> {
  return await startNginx({ origin, locations: locations(slices) });
}

function locations(slices: boolean): string {
  const slicing = `
      slice ${SLICE};
      proxy_set_header Range $slice_range;`;
  return `
    location = /authentication {
      internal;
      proxy_pass_request_body off;
      proxy_set_header Content-Length "";
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Rgw-Auth yes;
      proxy_pass http://origin$request_uri;
    }
    location / {
      auth_request /authentication;${slices ? slicing : ""}
      proxy_cache files;
      proxy_cache_key $http_host$request_uri${slices ? "$slice_range" : ""};
      proxy_cache_valid 200 206 1d;
      proxy_cache_lock on;
      proxy_cache_revalidate on;
      proxy_cache_use_stale updating;
      proxy_cache_background_update on;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      add_header X-Cache-Status $upstream_cache_status;
      proxy_pass http://origin;
    }`;
}
