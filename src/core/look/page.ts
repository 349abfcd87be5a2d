import type { Look } from "./colo-look.ts";
import { figures } from "./figures.ts";
import { LOOK_SCRIPT } from "./page-script.ts";
import { LOOK_STYLE } from "./page-style.ts";
import type { Settings, ShownSite } from "./settings.ts";
import { columnsOf, row, table } from "./table.ts";

/** It is made of what is in it, and asks for nothing but itself; the icon is empty. Hashes of style and script (CSP Level 3 §6.6.2). */
export const LOOK_CSP =
  "default-src 'none'; style-src 'sha256-t8Y1XB39JWgc19buzDIoDUDDZa4PI7m+fU/8H/QBCQs='; script-src 'sha256-bxPy62RiL0d06EyxtU5nLpUnZt2eqnpNX28rsaQ5RGo='; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** What the caches do, as a page that looks again by itself; without scripts it stays as it is. */
export function lookPage(look: Look, settings: Settings, now: number): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>Forgefront</title>
<style>${LOOK_STYLE}</style>
<header><h1>Forgefront</h1><p id="state" role="status">As of ${new Date(now).toISOString().slice(11, 19)} UTC</p></header>
<main id="figures">
${figures(look, now)}
</main>
<details><summary>Sites and settings</summary>
${sites(settings.sites)}
${limits(settings)}
${secrets(settings)}
</details>
<script>${LOOK_SCRIPT}</script>
</html>
`;
}

function sites(all: readonly ShownSite[]): string {
  const rows = all.map(({ host, kind, origin, auth = "", region = "" }) =>
    row([host, kind, origin, auth, region]),
  );
  return table({
    title: "Sites",
    heads: columnsOf(["Host", "Kind", "Origin", "Auth", "Region"]),
    rows,
  });
}

function limits({ limits: all }: Settings): string {
  const rows = all.map(({ name, value, fallback }) =>
    row([name, String(value), value === fallback ? "" : `default ${fallback}`]),
  );
  return table({ title: "Variables", heads: columnsOf(["Name", "Value", ""]), rows });
}

function secrets({ secrets: all, bindings }: Settings): string {
  const bound = Object.entries(bindings).map(([name, isBound]) =>
    row([name, isBound ? "bound" : "not bound"]),
  );
  const set = Object.entries(all).map(([name, state]) => row([name, state]));
  return table({ title: "Secrets and bindings", heads: columnsOf(["Name", ""]), rows: [...set, ...bound] });
}
