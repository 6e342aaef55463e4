/**
 * The look of the approval page: for a phone in the hand first, for paper too. Command and values are shown character by
 * character from left to right, whatever script they are in: nothing in them moves what stands beside it.
 */
export const APPROVE_STYLE = `
:root{color-scheme:light dark;--paper:oklch(.985 .004 85);--raised:#fff;--sunken:oklch(.955 .005 85);
--ink:oklch(.24 .01 250);--soft:oklch(.47 .01 250);--line:oklch(.89 .005 85);--accent:oklch(.46 .12 165);
--on-accent:#fff;--wait:oklch(.55 .12 80);--bad:oklch(.5 .17 27);--good:oklch(.47 .13 150);--value:oklch(.94 .04 165)}
@media (prefers-color-scheme:dark){:root{--paper:oklch(.18 .008 250);--raised:oklch(.22 .009 250);
--sunken:oklch(.15 .008 250);--ink:oklch(.94 .004 85);--soft:oklch(.72 .008 250);--line:oklch(.32 .01 250);
--accent:oklch(.78 .14 165);--on-accent:oklch(.18 .02 165);--wait:oklch(.8 .13 80);--bad:oklch(.75 .15 27);
--good:oklch(.78 .14 150);--value:oklch(.3 .04 165)}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.45 system-ui,sans-serif;font-variant-numeric:tabular-nums}
main{max-width:44rem;margin:0 auto;padding:24px 16px 48px}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 8px;overflow-wrap:anywhere}
h2{font-size:.875rem;font-weight:600;color:var(--soft);margin:24px 0 4px}
.state{margin:0;font-weight:600}.waiting{color:var(--wait)}.approved{color:var(--good)}.denied{color:var(--bad)}
.expired{color:var(--soft)}.note,.facts dt{color:var(--soft);font-size:.875rem}.note{margin:4px 0}
pre,code{font:14px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
pre{margin:0;padding:12px;background:var(--sunken);border:1px solid var(--line);border-radius:4px;
white-space:pre-wrap;overflow-wrap:anywhere;overflow:hidden;direction:ltr;unicode-bidi:bidi-override}
.command{font-size:16px;border-left:4px solid var(--wait)}
.v{background:var(--value);border:1px solid var(--accent);border-radius:4px;padding:0 3px;
-webkit-box-decoration-break:clone;box-decoration-break:clone}
.s{border:1px dashed var(--soft);border-radius:4px;padding:0 3px;color:var(--soft)}
.m{background:var(--ink);color:var(--paper);border-radius:3px;padding:0 3px;margin:0 1px;font-size:.8em}
.facts{display:grid;grid-template-columns:max-content 1fr;gap:4px 16px;margin:16px 0 0}.facts dd{margin:0;overflow-wrap:anywhere}
.decide{display:flex;flex-wrap:wrap;justify-content:space-between;gap:32px 64px;margin-top:16px}
.decide div{flex:0 1 16rem}.decide .note{margin:4px 0 0}
label{display:block;font-size:.875rem;color:var(--soft)}
input,textarea{width:100%;font:inherit;color:inherit;background:var(--raised);border:1px solid var(--line);border-radius:4px;padding:8px}
button{width:100%;min-height:48px;font:inherit;font-weight:600;border-radius:4px;border:1px solid var(--accent);
background:var(--accent);color:var(--on-accent);cursor:pointer}
button.deny{background:none;border-color:var(--bad);color:var(--bad)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
@media print{:root{--paper:#fff;--sunken:#fff;--ink:#000;--soft:#333;--value:#fff}form{display:none}}
`;
