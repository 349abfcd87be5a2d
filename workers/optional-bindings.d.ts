declare namespace Cloudflare {
  /** Bindings that wrangler.toml may name: `wrangler types` knows only those that it does. */
  interface Env {
    /** GitLab's own database. */
    readonly PIPELINES_DB?: Hyperdrive;
  }
}
