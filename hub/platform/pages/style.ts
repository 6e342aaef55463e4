// The dashboard and these pages share their design tokens.
import tokens from '../../../web/design/tokens.css' with { type: 'text' };

/** The style of every page without scripts; mobile first. */
export const PAGE_STYLE = `${tokens}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.45 var(--sans);font-variant-numeric:tabular-nums}
main{max-width:30rem;margin:0 auto;padding:12vh 16px 48px}
.svc{font:600 18px/1 var(--mono);color:var(--soft);margin:0 0 24px;padding-bottom:12px;border-bottom:1px solid var(--line)}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 8px;overflow-wrap:anywhere}
h2{font-size:.875rem;font-weight:600;color:var(--soft);margin:24px 0 4px}
p{margin:8px 0;overflow-wrap:anywhere}
a{color:var(--accent)}
pre,code{font:14px/1.5 var(--mono);font-variant-ligatures:none}
.note{color:var(--soft);font-size:.875rem}
form{margin:16px 0}
label{display:block;margin:16px 0;font-size:.875rem;font-weight:600}
input,select,textarea{display:block;width:100%;min-height:48px;margin-top:4px;font:inherit;font-weight:400;color:inherit;
background:var(--raised);border:1px solid var(--edge);border-radius:var(--radius);padding:8px}
textarea{font-size:1rem}
button{width:100%;min-height:48px;font:inherit;font-weight:600;border-radius:var(--radius);border:1px solid var(--accent);
background:var(--accent);color:var(--on-accent);cursor:pointer;margin-top:8px}
button.deny{background:none;border-color:var(--bad);color:var(--bad)}
button.other{background:var(--raised);border-color:var(--edge);color:var(--ink)}
[role=alert]{border-left:4px solid var(--bad);background:var(--bad-wash);padding:8px 12px}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
`;
