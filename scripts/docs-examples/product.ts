/** A vase with a branch on a table, 1200 by 1200: one clear subject with soft shading. */
import { randomNumbers } from './random.ts';

const BODY =
  'M-62,-250 C-66,-200 -58,-170 -96,-110 C-180,0 -196,130 -120,250 C-100,282 100,282 120,250 C196,130 180,0 96,-110 C58,-170 66,-200 62,-250 Z';

export function product(): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="1200" viewBox="0 0 1200 1200">
<defs>
<linearGradient id="wall" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="#dcd3c4"/><stop offset="1" stop-color="#b9ab97"/></linearGradient>
<linearGradient id="table" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#8a6a4c"/><stop offset="1" stop-color="#b48a62"/></linearGradient>
<linearGradient id="glaze" x1="0" y1="0" x2="1" y2="0"><stop offset="0" stop-color="#0f4a55"/><stop offset=".28" stop-color="#2f9aa0"/><stop offset=".4" stop-color="#9fe0da"/><stop offset=".52" stop-color="#2a8d95"/><stop offset="1" stop-color="#08303b"/></linearGradient>
<filter id="soft" x="-50%" y="-50%" width="200%" height="200%"><feGaussianBlur stdDeviation="22"/></filter>
<filter id="wood" x="0" y="0" width="100%" height="100%"><feTurbulence type="fractalNoise" baseFrequency=".004 .09" numOctaves="4" seed="6"/><feColorMatrix values="0 0 0 0 .25  0 0 0 0 .15  0 0 0 0 .08  .9 0 0 0 -.25"/></filter>
<filter id="grain" x="0" y="0" width="100%" height="100%"><feTurbulence type="fractalNoise" baseFrequency=".8" numOctaves="2" seed="2"/><feColorMatrix values="0 0 0 0 .5  0 0 0 0 .5  0 0 0 0 .5  .3 0 0 0 -.06"/></filter>
<clipPath id="vase"><path d="${BODY}"/></clipPath>
</defs>
<rect width="1200" height="1200" fill="url(#wall)"/>
<rect y="900" width="1200" height="300" fill="url(#table)"/><rect y="900" width="1200" height="300" filter="url(#wood)"/>
<ellipse cx="690" cy="1010" rx="300" ry="44" fill="#2a1a0e" opacity=".55" filter="url(#soft)"/>
<g transform="translate(600 735)">
${branches()}
<ellipse cx="0" cy="-250" rx="62" ry="16" fill="#06232b"/>
<path d="${BODY}" fill="url(#glaze)"/>
<g clip-path="url(#vase)">
<path d="M-220,40 C-120,84 120,84 220,40 L220,74 C120,118 -120,118 -220,74 Z" fill="#f1e7cf" opacity=".85"/>
<path d="M-220,96 C-120,140 120,140 220,96 L220,108 C120,152 -120,152 -220,108 Z" fill="#d9a441" opacity=".9"/>
<ellipse cx="120" cy="160" rx="120" ry="200" fill="#031a22" opacity=".5" filter="url(#soft)"/>
<ellipse cx="-66" cy="0" rx="16" ry="100" fill="#ffffff" opacity=".45" filter="url(#soft)"/>
</g>
<path d="M-62,-250 C-40,-232 40,-232 62,-250" fill="none" stroke="#bff0ea" stroke-width="5" opacity=".8"/>
</g>
<rect width="1200" height="1200" filter="url(#grain)" opacity=".4"/>
</svg>`;
}

function branches(): string {
  const random = randomNumbers(19);
  return [-0.62, -0.22, 0.12, 0.5]
    .map((lean) => {
      const tip = { x: lean * 330, y: -560 - 60 * random() };
      const at = (t: number) => ({ x: tip.x * t ** 1.5, y: -240 + (tip.y + 240) * t });
      const leaves = Array.from({ length: 15 }, (_, index) => {
        const { x, y } = at(0.25 + (0.75 * index) / 14);
        const turn = (index % 2 ? 38 : -142) + lean * 40 + 20 * random();
        const green = ['#4f7a3a', '#6b9447', '#3d6433', '#86a955'][index % 4];
        return `<path transform="translate(${x.toFixed(0)} ${y.toFixed(0)}) rotate(${turn.toFixed(0)})" d="M0,0 C18,-20 52,-20 74,0 C52,16 18,16 0,0 Z" fill="${green}"/>`;
      });
      return `<path d="M0,-240 Q${(tip.x * 0.3).toFixed(0)},-400 ${tip.x.toFixed(0)},${tip.y.toFixed(0)}" fill="none" stroke="#5a4630" stroke-width="7" stroke-linecap="round"/>${leaves.join('')}`;
    })
    .join('');
}
