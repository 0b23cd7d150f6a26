/** The style of the report, for all screen sizes, light and dark mode, and print. */
export const REPORT_STYLE = `
:root{color-scheme:light dark;--ground:#f6f7f9;--card:#fff;--text:#16202c;--soft:#566273;--line:#dfe4ea;--accent:#0b6e4f;--after:#12805c;
--saved:#bfe3d3;--error:#b42318;--warning:#935206;--notice:#2457a6;--info:#566273;--track:#e8ecf1}
@media(prefers-color-scheme:dark){:root{--ground:#10151b;--card:#181f28;--text:#e7ecf2;--soft:#9fabba;--line:#2b3540;--accent:#4cc79a;
--after:#3fb489;--saved:#2d6650;--error:#ff8a80;--warning:#f0b35e;--notice:#8db8ff;--info:#9fabba;--track:#232c37}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main,header,footer{max-width:1080px;margin:0 auto;padding:0 20px}
header{padding-top:40px}
h1{font-size:clamp(1.7rem,5vw,2.6rem);line-height:1.15;margin:0;overflow-wrap:anywhere;letter-spacing:-.02em}
h2{font-size:1.35rem;margin:48px 0 4px;letter-spacing:-.01em}
h3{font-size:1rem;margin:0}
p{margin:4px 0}
.soft{color:var(--soft)}
.small{font-size:.875rem}
.eyebrow{color:var(--accent);font-weight:600;margin:0 0 6px}
a{color:inherit;text-decoration-color:var(--soft);text-underline-offset:3px}
a:hover{text-decoration-color:currentColor}
.card{background:var(--card);border:1px solid var(--line);border-radius:14px}
.numbers{display:grid;grid-template-columns:repeat(auto-fit,minmax(210px,1fr));gap:12px;margin:28px 0 0}
.number{padding:18px 20px}
.number b{display:block;font-size:2rem;line-height:1.2;letter-spacing:-.02em;font-variant-numeric:tabular-nums}
.number.main b{color:var(--accent)}
.whole{margin-top:12px;padding:18px 20px}
.bar{display:flex;height:10px;border-radius:5px;overflow:hidden;background:var(--track)}
.bar i{display:block;background:var(--after)}
.bar i+i{background:var(--saved)}
.whole .bar{height:22px;border-radius:8px;margin:0 0 10px}
.key{display:inline-block;width:10px;height:10px;border-radius:3px;margin-right:6px;background:var(--after)}
.key.saved{background:var(--saved)}
.keys{margin:0;display:flex;flex-wrap:wrap;gap:4px 20px}
.finding{padding:16px 20px;margin-top:10px;border-left:4px solid var(--tone)}
.finding .top{display:flex;flex-wrap:wrap;gap:2px 14px;justify-content:space-between;align-items:baseline}
.tone-error{--tone:var(--error)}.tone-warning{--tone:var(--warning)}.tone-notice{--tone:var(--notice)}.tone-info{--tone:var(--info)}
.severity{color:var(--tone);font-weight:600;margin:26px 0 0}
.severity .small{font-weight:400;margin-left:4px}
.count{font-variant-numeric:tabular-nums;white-space:nowrap}
details{margin-top:8px}
summary{cursor:pointer;color:var(--soft);font-size:.875rem}
details ul{margin:8px 0 0;padding-left:18px;font-size:.875rem}
li{overflow-wrap:anywhere;margin:3px 0}
.list{margin-top:14px;overflow:hidden}
.row{display:grid;gap:4px 16px;padding:12px 20px;align-items:center;border-top:1px solid var(--line)}
.row:first-child{border-top:0}
.image{grid-template-columns:72px minmax(0,1fr) 210px 84px}
.page{grid-template-columns:minmax(0,1fr) 250px 100px}
.thumb{width:72px;height:54px;border-radius:8px;background:var(--track);display:grid;place-items:center;overflow:hidden;color:var(--soft);font-size:.75rem}
.thumb img{max-width:72px;max-height:54px;display:block}
.name{overflow-wrap:anywhere;line-height:1.35}
.figures{font-variant-numeric:tabular-nums}
.name a{font-weight:500}
.percent{font-weight:650;text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums;color:var(--accent)}
.percent .small{font-weight:400}
.none{padding:18px 20px}
footer{padding-top:36px;padding-bottom:48px}
@media(max-width:720px){
main,header,footer{padding-left:14px;padding-right:14px}
header{padding-top:24px}
.numbers{grid-template-columns:1fr 1fr;gap:10px}
.number{padding:14px}.number b{font-size:1.5rem}
.image{grid-template-columns:72px minmax(0,1fr) auto}
.image .amount{grid-column:2/4;grid-row:2}
.image .percent{grid-column:3;grid-row:1}
.page{grid-template-columns:minmax(0,1fr) auto}
.page .amount{grid-column:1/3;grid-row:2}
.row{padding:14px;align-items:start}.finding{padding:14px}
}
@media print{
:root{color-scheme:light;--ground:#fff;--card:#fff;--text:#000;--soft:#444;--line:#bbb;--accent:#0b6e4f;--after:#12805c;--saved:#bfe3d3;
--error:#b42318;--warning:#935206;--notice:#2457a6;--info:#444;--track:#eee}
body{font-size:10.5pt}
.bar,.bar i,.key,.thumb{print-color-adjust:exact;-webkit-print-color-adjust:exact}
.row,.finding,.number,.whole{break-inside:avoid}
h2,.severity{break-after:avoid}
a{text-decoration:none}
main,header,footer{max-width:none;padding-left:0;padding-right:0}
}`;
