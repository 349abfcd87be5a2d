/** The style of the page that lists a directory; its hash is in `BROWSE_CSP`, and a test keeps the two together. */
export const BROWSE_STYLE = `
:root{color-scheme:light dark;--fg:#1c2128;--dim:#57606a;--bg:#fff;--alt:#f4f6f8;--line:#d8dee4;--link:#0757b5;--bad:#b3261e}
@media(prefers-color-scheme:dark){:root{--fg:#e4e8ec;--dim:#9aa5b1;--bg:#0f1317;--alt:#181e24;--line:#2c343d;--link:#79b8ff;--bad:#ff9a91}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:66rem;padding:2rem 1rem 3rem;font:1rem/1.5 system-ui,sans-serif;color:var(--fg);background:var(--bg)}
a{color:var(--link);text-decoration:none}
a:hover{text-decoration:underline}
:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:3px}
ol{margin:0;padding:0;list-style:none;font-size:1.25rem}
li,h1{display:inline;font-size:inherit}
li+li::before{content:" / ";color:var(--dim)}
bdi{white-space:pre-wrap;overflow-wrap:anywhere}
.bar{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.25rem 1.5rem;margin:.5rem 0 1.5rem;color:var(--dim)}
p{margin:0}
nav p{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem}
table{width:100%;border-collapse:collapse}
caption{position:absolute;clip-path:inset(50%);height:1px;overflow:hidden}
th,td{padding:.45rem .6rem;text-align:left;vertical-align:baseline;font-weight:400;border-bottom:1px solid var(--line)}
thead th,td{font-size:.875rem;color:var(--dim);white-space:nowrap;font-variant-numeric:tabular-nums}
tbody tr:hover{background:var(--alt)}
.n{text-align:right}
.m{font-family:ui-monospace,monospace}
i{font-style:normal}
tbody th{position:relative;padding-left:2rem;width:100%}
tbody th::before{content:"";position:absolute;left:.65rem;top:.75rem;width:.75rem;height:.95rem;border:1.5px solid var(--dim);border-radius:2px}
tbody .d::before{left:.5rem;top:.8rem;width:1.05rem;height:.85rem;border:0;background:var(--link);clip-path:polygon(0 0,42% 0,52% 18%,100% 18%,100% 100%,0 100%)}
tbody .l::before{border-style:dashed}
tbody .b::before{opacity:.5}
small{display:block;color:var(--dim)}
.b{color:var(--dim)}
.b small{color:var(--bad)}
nav .p{justify-content:center;margin-top:1.5rem}
@media(max-width:40rem){body{padding-top:1rem}.m,i{display:none}th,td{padding-inline:.3rem}}
`;

/** The page loads nothing, runs nothing and is in no frame; its own style is all there is to it (CSP Level 3 §6.6.2). */
export const BROWSE_CSP =
  "default-src 'none'; style-src 'sha256-oPWLzi1ByAn0FaNVtQ6Qyb4DnxH/yRtwcxnSx4+sGBc='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
