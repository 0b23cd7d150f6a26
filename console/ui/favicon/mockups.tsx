/** Drawings of the places where icons are used. They are plain on purpose, so that they look like no real product. */
import { type DisplayedPack, sizeFromName, textColourOn } from './pack.ts';

const Icon = ({ url, side, class: name = '' }: { url: string | undefined; side: number; class?: string }) =>
  url ? (
    <img class={`icon ${name}`} src={url} alt="" width={side} height={side} />
  ) : (
    <span class={`icon none ${name}`} />
  );

const TAB_SIDE = 16;

/** Uses the file that matches the screen's density, as a browser does. */
function TabIcon({ pack: { icons, url } }: { pack: DisplayedPack }) {
  const srcSet = icons.tab.map((name) => `${url(name)} ${sizeFromName(name) / TAB_SIDE}x`).join(', ');
  return <img class="icon" src={url(icons.tab[0])} srcset={srcSet} alt="" width={TAB_SIDE} height={TAB_SIDE} />;
}

export function Tab({ pack, scheme }: { pack: DisplayedPack; scheme: 'light' | 'dark' }) {
  return (
    <div class={`browser ${scheme}`}>
      <div class="tab-row">
        <span class="tab active">
          <TabIcon pack={pack} />
          <span class="title">{pack.name}</span>
        </span>
        <span class="tab">
          <span class="icon other" />
          <span class="title">Another page</span>
        </span>
      </div>
      <div class="address">
        <span>example.com</span>
      </div>
    </div>
  );
}

export function Bookmarks({ pack }: { pack: DisplayedPack }) {
  return (
    <div class="bookmarks">
      <span>
        <span class="icon other" /> News
      </span>
      <span>
        <TabIcon pack={pack} /> <b>{pack.shortName}</b>
      </span>
      <span>
        <span class="icon other" /> Weather
      </span>
    </div>
  );
}

export interface HomeIcon {
  url: string | undefined;
  /** The shape that the system cuts the icon into. */
  mask: 'apple' | 'circle' | 'squircle';
}

export function HomeScreen({ name, icons }: { name: string; icons: readonly HomeIcon[] }) {
  const others = Array.from({ length: 4 - icons.length }, (_, index) => index);
  const [first] = icons;
  return (
    <div class="home-screen">
      {icons.map(({ url, mask }) => (
        <span key={mask} class="app">
          <Icon url={url} side={60} class={mask} />
          <span class="title">{name}</span>
        </span>
      ))}
      {others.map((index) => (
        <span key={index} class="app" aria-hidden="true">
          <span class={`icon other ${first!.mask}`} />
        </span>
      ))}
    </div>
  );
}

/** Uses the colours of the manifest. */
export function StartScreen({ pack }: { pack: DisplayedPack }) {
  const { background, themeColour, icons, name } = pack;
  return (
    <div class="start-screen" style={{ background, color: textColourOn(background) }}>
      <span class="theme" style={{ background: themeColour, color: textColourOn(themeColour) }}>
        12:00
      </span>
      <Icon url={pack.url(icons.app)} side={96} />
      <span class="title">{name}</span>
    </div>
  );
}
