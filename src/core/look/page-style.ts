/** The style of the page; its hash is in `LOOK_CSP`, and a test keeps the two together. */
export const LOOK_STYLE = `
:root{color-scheme:light dark;--fg:#1c2128;--dim:#57606a;--bg:#fff;--alt:#f4f6f8;--line:#d8dee4;--bad:#b3261e;
--memory:#1a7f5a;--colo:#3aa17e;--kv:#8ecbb3;--collapsed:#d4a72c;--stale:#bf6b21;--miss:#c4483e;--bypass:#8c959f;--served:#8ecbb3;--asked:#c4483e}
@media(prefers-color-scheme:dark){:root{--fg:#e4e8ec;--dim:#9aa5b1;--bg:#0f1317;--alt:#181e24;--line:#2c343d;--bad:#ff9a91;
--memory:#3fb68b;--colo:#2c8466;--kv:#1f5a47;--served:#2c8466;--miss:#e0665c;--asked:#e0665c}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:72rem;padding:1.5rem 1rem 3rem;font:1rem/1.5 system-ui,sans-serif;color:var(--fg);background:var(--bg)}
header{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;align-items:baseline;justify-content:space-between}
h1{margin:0;font-size:1.25rem}
h2{margin:2rem 0 .5rem;font-size:1rem}
p{margin:.25rem 0}
.more,header p{color:var(--dim);font-size:.875rem}
header .lost{color:var(--bad)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(10rem,1fr));gap:.75rem;margin:1.25rem 0 0}
.tiles div{padding:.75rem .9rem;border:1px solid var(--line);border-radius:.5rem;background:var(--alt)}
dt{color:var(--dim);font-size:.875rem}
dd{margin:0;font-size:1.5rem;line-height:1.3;font-variant-numeric:tabular-nums}
dd.more{font-size:.8125rem;overflow-wrap:anywhere}
.scroll{overflow-x:auto}
table{width:100%;border-collapse:collapse;font-size:.875rem}
th,td{padding:.4rem .6rem;text-align:left;vertical-align:middle;font-weight:400;border-bottom:1px solid var(--line);white-space:nowrap;font-variant-numeric:tabular-nums}
thead th{color:var(--dim)}
.events td:nth-child(5){width:60%;white-space:normal;overflow-wrap:anywhere;min-width:9rem}
.shares{display:block;width:100%;min-width:9rem;height:.6rem;border-radius:.2rem;background:var(--alt)}
.pace{display:block;width:100%;height:5.5rem;border-bottom:1px solid var(--line)}
i{display:inline-block;width:.65rem;height:.65rem;margin:0 .35rem 0 .6rem;border-radius:.15rem}
th i{margin-left:0}
.memory{fill:var(--memory);background:var(--memory)}.colo{fill:var(--colo);background:var(--colo)}.kv{fill:var(--kv);background:var(--kv)}
.collapsed{fill:var(--collapsed);background:var(--collapsed)}.stale{fill:var(--stale);background:var(--stale)}
.miss{fill:var(--miss);background:var(--miss)}.bypass{fill:var(--bypass);background:var(--bypass)}
.served{fill:var(--served);background:var(--served)}.asked{fill:var(--asked);background:var(--asked)}
details{margin-top:2rem}
summary{cursor:pointer;font-weight:600}
@media(max-width:40rem){body{padding-top:1rem}dd{font-size:1.25rem}.tiles{grid-template-columns:1fr 1fr;gap:.5rem}th,td{padding-inline:.25rem;font-size:.8125rem}.events :is(th,td):is(:nth-child(3),:nth-child(4)){display:none}
.events th[scope=row]{min-width:4.5rem;white-space:normal;overflow-wrap:anywhere}.events td:nth-child(5){min-width:6rem}}
`;
