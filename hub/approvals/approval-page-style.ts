import { PAGE_STYLE } from '../platform/pages/style.ts';

/**
 * The look of the approval page: as that of the others, and for paper too. Command and values are shown character by
 * character from left to right, whatever script they are in: nothing in them moves what stands beside it.
 */
export const APPROVE_STYLE = `${PAGE_STYLE}
main{max-width:44rem;padding-top:24px}
.state{margin:0;font-weight:600}.waiting{color:var(--waiting)}.approved{color:var(--good)}.denied{color:var(--bad)}
.code{margin:8px 0;padding:8px 12px;border:2px solid var(--bad);color:var(--bad);font-weight:600}
.expired{color:var(--soft)}.facts dt{color:var(--soft);font-size:.875rem}.note{margin:4px 0}
pre{margin:0;padding:12px;background:var(--sunken);border:1px solid var(--line);border-radius:var(--radius);
white-space:pre-wrap;overflow-wrap:anywhere;overflow:hidden;direction:ltr;unicode-bidi:bidi-override}
.command{font-size:16px;border-left:4px solid var(--waiting)}
.v{background:var(--accent-wash);border:1px solid var(--accent);border-radius:var(--radius);padding:0 3px;
-webkit-box-decoration-break:clone;box-decoration-break:clone}
.s{border:1px dashed var(--soft);border-radius:var(--radius);padding:0 3px;color:var(--soft)}
.m{background:var(--ink);color:var(--paper);border-radius:3px;padding:0 3px;margin:0 1px;font-size:.8em}
.facts{display:grid;grid-template-columns:max-content 1fr;gap:4px 16px;margin:16px 0 0}.facts dd{margin:0;overflow-wrap:anywhere}
.decide{display:flex;flex-wrap:wrap;justify-content:space-between;gap:32px 64px;margin-top:16px}
.decide div{flex:0 1 16rem}.decide .note{margin:4px 0 0}
@media print{:root{color-scheme:light}:root{--paper:#fff;--sunken:#fff;--ink:#000;--soft:#333;--accent-wash:#fff}form,.svc{display:none}}
`;
