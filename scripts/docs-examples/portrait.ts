/** People who do not exist: shaded heads and shoulders, from the front. */
export interface Person {
  skin: string;
  shade: string;
  light: string;
  hair: string;
  sheen: string;
  eyes: string;
  coat: string;
  /** A beard, or long hair. */
  style: 'beard' | 'long' | 'short';
}

export const ADA: Person = {
  skin: '#e3ad8b',
  shade: '#a2664a',
  light: '#f8d6bd',
  hair: '#3a241b',
  sheen: '#6e4a37',
  eyes: '#4b6a3a',
  coat: '#1f5f6b',
  style: 'long',
};
export const BRUNO: Person = {
  skin: '#c88d66',
  shade: '#7d4b30',
  light: '#e9ba94',
  hair: '#1d1613',
  sheen: '#43342c',
  eyes: '#3d2a1c',
  coat: '#7b2f3a',
  style: 'beard',
};
export const CLEO: Person = {
  skin: '#8c5a3c',
  shade: '#4c2c1c',
  light: '#b98360',
  hair: '#15100f',
  sheen: '#332926',
  eyes: '#2b1c12',
  coat: '#c58a1d',
  style: 'short',
};

/** One person on a plain background, 900 by 1200. */
export function portrait(person: Person): string {
  return drawing(
    900,
    1200,
    `<rect width="900" height="1200" fill="url(#wall)"/><g transform="translate(450 560) scale(1.15)">${figure(person, 'a')}</g>`,
  );
}

/** Three people side by side, 1500 by 1000. */
export function group(): string {
  const figures = [BRUNO, ADA, CLEO].map(
    (person, index) =>
      `<g transform="translate(${[330, 760, 1180][index]} ${[500, 440, 510][index]}) scale(${[0.8, 0.84, 0.78][index]})">${figure(person, 'abc'.charAt(index))}</g>`,
  );
  return drawing(1500, 1000, `<rect width="1500" height="1000" fill="url(#wall)"/>${figures.join('')}`);
}

function drawing(width: number, height: number, content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<defs>
<radialGradient id="wall" cx=".5" cy=".35" r=".9"><stop offset="0" stop-color="#e6e4de"/><stop offset="1" stop-color="#a9aeb0"/></radialGradient>
<filter id="soft1" x="-50%" y="-50%" width="200%" height="200%"><feGaussianBlur stdDeviation="2"/></filter>
<filter id="soft2" x="-50%" y="-50%" width="200%" height="200%"><feGaussianBlur stdDeviation="7"/></filter>
<filter id="soft3" x="-50%" y="-50%" width="200%" height="200%"><feGaussianBlur stdDeviation="18"/></filter>
<filter id="grain" x="0" y="0" width="100%" height="100%"><feTurbulence type="fractalNoise" baseFrequency=".75" numOctaves="2" seed="9"/><feColorMatrix values="0 0 0 0 .5  0 0 0 0 .5  0 0 0 0 .5  .3 0 0 0 -.06"/></filter>
</defs>
${content}
<rect width="${width}" height="${height}" filter="url(#grain)" opacity=".45"/>
</svg>`;
}

/** Coordinates are relative to the middle of the face, which is 300 wide and 400 high. */
function figure({ skin, shade, light, hair, sheen, eyes, coat, style }: Person, id: string): string {
  const face =
    'M-150,-40 C-152,-150 -96,-205 0,-205 C96,-205 152,-150 150,-40 C148,50 128,110 88,158 C60,192 30,206 0,206 C-30,206 -60,192 -88,158 C-128,110 -148,50 -150,-40 Z';
  const eye = (x: number) => `<g transform="translate(${x} -38)">
<ellipse cx="0" cy="2" rx="46" ry="26" fill="${shade}" opacity=".45" filter="url(#soft2)"/>
<path d="M-34,2 Q-4,-22 34,0 Q4,19 -34,2 Z" fill="#f6f1ea"/>
<circle cx="1" cy="-2" r="14" fill="${eyes}"/><circle cx="1" cy="-2" r="7" fill="#0b0807"/><circle cx="6" cy="-7" r="3.6" fill="#ffffff"/>
<path d="M-37,3 Q-4,-26 37,-1" fill="none" stroke="#1d120d" stroke-width="6" stroke-linecap="round"/>
<path d="M-34,4 Q4,21 34,1" fill="none" stroke="${shade}" stroke-width="2.5" opacity=".8"/>
<path d="M-36,-20 Q0,-40 38,-16" fill="none" stroke="${shade}" stroke-width="3" opacity=".55"/>
</g>`;
  const brow = (flip: number) =>
    `<path transform="scale(${flip} 1)" d="M28,-80 Q66,-104 116,-82 Q70,-92 30,-70 Z" fill="${hair}" opacity=".9" filter="url(#soft1)"/>`;
  return `<defs>
<radialGradient id="skin-${id}" cx=".4" cy=".35" r=".75"><stop offset="0" stop-color="${light}"/><stop offset=".55" stop-color="${skin}"/><stop offset="1" stop-color="${shade}"/></radialGradient>
<linearGradient id="hair-${id}" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="${hair}"/><stop offset=".45" stop-color="${sheen}"/><stop offset="1" stop-color="${hair}"/></linearGradient>
<linearGradient id="coat-${id}" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="${coat}"/><stop offset="1" stop-color="#101418"/></linearGradient>
<clipPath id="face-${id}"><path d="${face}"/></clipPath>
</defs>
${style === 'long' ? `<path d="M-186,-60 C-200,-260 -80,-272 0,-270 C90,-272 204,-250 188,-50 C186,120 214,220 190,330 L-190,330 C-214,220 -186,110 -186,-60 Z" fill="${hair}"/>` : ''}
<path d="M-92,110 L-96,260 C-60,330 60,330 96,260 L92,110 Z" fill="${shade}"/>
<path d="M-74,140 L-78,262 C-50,312 50,312 70,262 L60,150 Z" fill="${skin}" filter="url(#soft2)"/>
<path d="M-96,236 C-170,262 -300,290 -350,372 L-380,700 L380,700 L350,372 C300,290 170,262 96,236 C60,320 -60,320 -96,236 Z" fill="url(#coat-${id})"/>
<path d="M-96,236 C-70,330 -30,380 0,420 C30,380 70,330 96,236 L128,250 C110,360 50,430 0,480 C-50,430 -110,360 -128,250 Z" fill="#f2efe8" opacity=".9"/>
<ellipse cx="-152" cy="-10" rx="22" ry="44" fill="${shade}"/><ellipse cx="152" cy="-10" rx="22" ry="44" fill="${shade}"/>
<ellipse cx="-154" cy="-12" rx="14" ry="32" fill="${skin}" filter="url(#soft1)"/>
<path d="${face}" fill="url(#skin-${id})"/>
<g clip-path="url(#face-${id})">
<ellipse cx="130" cy="60" rx="70" ry="200" fill="${shade}" opacity=".5" filter="url(#soft3)"/>
<ellipse cx="-62" cy="58" rx="44" ry="34" fill="#d9695a" opacity=".22" filter="url(#soft3)"/>
<ellipse cx="74" cy="60" rx="40" ry="32" fill="#d9695a" opacity=".2" filter="url(#soft3)"/>
<ellipse cx="-30" cy="-140" rx="70" ry="34" fill="${light}" opacity=".7" filter="url(#soft3)"/>
<ellipse cx="0" cy="216" rx="110" ry="40" fill="${shade}" opacity=".7" filter="url(#soft3)"/>
${style === 'beard' ? `<path d="M-150,10 C-120,70 -90,84 -60,84 C-30,70 30,70 60,84 C90,84 124,70 150,10 L150,230 L-150,230 Z" fill="${hair}" opacity=".8" filter="url(#soft2)"/>` : ''}
</g>
${eye(-64)}${eye(64)}${brow(1)}${brow(-1)}
<path d="M-14,-36 C-18,20 -34,48 -30,62 C-20,80 20,80 30,62 C34,48 18,20 14,-36 Z" fill="${shade}" opacity=".28" filter="url(#soft2)"/>
<path d="M-6,-40 C-8,10 -12,40 -4,58 L8,58 C12,30 6,0 6,-40 Z" fill="${light}" opacity=".75" filter="url(#soft2)"/>
<path d="M-28,62 Q-22,50 -14,60 Q0,74 14,60 Q22,50 28,62" fill="none" stroke="${shade}" stroke-width="4" opacity=".9" filter="url(#soft1)"/>
<ellipse cx="-13" cy="63" rx="6" ry="3.5" fill="#3b1d14" opacity=".8"/><ellipse cx="13" cy="63" rx="6" ry="3.5" fill="#3b1d14" opacity=".8"/>
<path d="M-50,116 C-30,102 -12,100 0,106 C12,100 30,102 50,116 C26,120 -26,120 -50,116 Z" fill="#b4554c"/>
<path d="M-50,116 C-26,146 26,146 50,116 C26,122 -26,122 -50,116 Z" fill="#c96a5f"/>
<path d="M-52,116 C-26,124 26,124 52,116" fill="none" stroke="#6d2c27" stroke-width="3.5" stroke-linecap="round"/>
<ellipse cx="0" cy="132" rx="20" ry="4" fill="#ffffff" opacity=".3" filter="url(#soft1)"/>
<ellipse cx="0" cy="156" rx="34" ry="7" fill="${shade}" opacity=".45" filter="url(#soft2)"/>
<path d="${style === 'long' ? 'M-162,40 C-190,-140 -120,-262 0,-260 C124,-262 190,-140 162,40 C160,-60 120,-120 60,-158 C0,-120 -120,-110 -150,-40 Z' : 'M-158,-20 C-176,-170 -110,-256 0,-254 C112,-256 178,-170 158,-20 C150,-80 136,-120 104,-150 C40,-176 -50,-176 -104,-148 C-136,-120 -150,-80 -158,-20 Z'}" fill="url(#hair-${id})"/>`;
}
