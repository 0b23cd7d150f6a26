/** Realistic sources, one or more of each kind. */
export const SOURCES: Readonly<Record<string, string>> = {
  'index.html': `\ufeff<!doctype html>\r
<head><link rel="icon" href="/favicon.ico"><link rel=preload as=image href="hero.avif" imagesrcset="hero-1.avif 1x, hero-2.avif 2x">
<meta property="og:image" content="https://example.org/social.png"><meta itemprop=image content=card.png>
<script type="application/ld+json">{"@type": "Article", "image": ["https:\\/\\/example.org\\/one.png", "/two.png"]}</script>
<script>const pictures = ['three.png', { src: "four.png" }]; load(base + '/five.png') // six.png</script>
<style>body { background: url(seven.png) } /* url(eight.png) */ p { background: image-set("nine.png" 1x, url('ten.png') 2x) }</style></head>
<body background="paper.gif"><img src=plain.jpg alt="eleven.png"><IMG SRC='single "quoted".jpg' srcset="a.jpg 480w, b&amp;c.jpg 800w,d.jpg 2x" sizes=100vw>
<picture><source srcset="hero.webp, hero@2x.webp 2x" type="image/webp"><img src="hero.jpg"/></picture>
<a href="full-size.jpg"><img data-src="lazy.jpg" data-srcset="lazy.jpg 1x, lazy-2.jpg 2x" src="data:image/gif;base64,R0lGODlhAQABAAAAACw="></a>
<div style="color: red; background-image: url(&quot;inline.png&quot;), url('other.png')" data-bg="lazy-background.jpg" data-background="url(second.jpg)"></div>
<video poster="poster.jpg"></video><input type=image src=button.gif><object type="image/png" data="object.png"></object>
<svg><image href="drawing.png"/><image xlink:href="linked.png"/></svg><noscript><img src="without-script.jpg"></noscript>
<!-- <img src="comment.jpg"> --><img src="{{ unknown }}/joined.jpg"><img src="versioned.jpg?v={{ version }}">
<my-card cover="card.jpg" text="no image"></my-card><img ../nothing src=""><img src="#fragment">`,
  'page.njk': `---
cover: /images/cover.jpg
---
{% if cover %}<img src="{{ '/images/literal.jpg' | url }}" {% if lazy %}loading="lazy"{% endif %} srcset="{{ small }} 1x, large.jpg 2x">{% endif %}
{# <img src="hidden.jpg"> #}<img {{ attributes }} src="plain.jpg"><div style="color:{{ colour }};background:url(style.png)"></div>
<img {% if a %}src="conditional.jpg"{% endif %}>`,
  'page.blade.php': `@extends('layout') {{-- <img src="old.jpg"> --}} <img src="{{ asset('images/asset.png') }}"><img src="/plain.png" {!! $more !!}>
<?php echo "<img src=\\"in-php.jpg\\" alt='x'>"; $a = 'literal.png'; $b = get_uri() . '/joined.png'; $c = "$base/dynamic.png"; # note.png
$d = "a?>b.png"; ?><x-image :src="$picture" poster="/poster.jpg" />`,
  'page.erb': `<%# old.png %><%= image_tag "helper.png" %><img src="<%= asset_path 'path.png' %>"><img src="/plain.png">`,
  'page.jsp': `<img src="\${context}/dynamic.png"><img src="/plain.png"><%-- <img src="gone.png"> --%>`,
  'page.cshtml': `@model Page\n<img src="~/img/site.png"><img src="@Model.Picture"><img src="photo@2x.png">@* <img src="gone.png"> *@`,
  'site.css': `@import url("base.css"); .a { background: url( a.png ); mask: url('b (1).svg') } .b { background: URL("c\\"d.png") }
.c { background: url(e\\ f.png) } @font-face { src: url(font.woff2) } [src="selector.png"] { content: "text"; --picture: "custom.png" }`,
  'site.scss': `$hero: "../images/hero.jpg"; // url(comment.png) isn't read
.a { background: url($hero); &:hover { background: asset-url('asset.png') } background: url("#{$base}/dynamic.png"); b: url($base + "joined.png") }`,
  'site.sass': `@import "base"\n.a\n  background: url(indented.png)\n  // url("gone.png")\n  mask: url('mask.svg')\n`,
  'site.less': `@hero: "hero.jpg"; .a { background: url("@{base}/dynamic.png"); background: url(plain.png) }`,
  'readme.md': `---
title: Guide
image: '/images/front.jpg'
---
# Guide

![alt](plain.png) ![two](<with space.png> "title") [![thumb](thumb.png)](full.jpg) ![three](a_(b).png 'x') \`![span](span.png)\`

\`\`\`html
<img src="fenced.png">
![fenced](fenced-2.png)
\`\`\`

1. Item

   \`\`\`
   ![in list](fenced-3.png)
   \`\`\`

   ![item](item.png)

    ![paragraph of the item](item-2.png)

> ![quoted](quoted.png)
> ~~~
> ![quoted code](fenced-4.png)

    ![indented](indented.png)

<p align="center"><img src="html.png" width="200"></p>
<!-- ![no](comment.png) <img src="comment-2.png"> -->

[reference]: reference.png "Title"
[other]: <reference 2.png>
{{< figure src="/hugo.png" title="x" >}}
![jekyll]({{ site.baseurl }}/dynamic.png)
![escaped](a\\(b.png) ![entity](a&amp;b.png)`,
  'page.mdx': `import Image from 'next/image'
import hero from './hero.png'

# Title

![plain](plain.png)

<Image src={hero} alt="" />
<img src={require('./required.png')} srcSet="a.png 1x, b.png 2x" style={{ backgroundImage: 'url(style.png)' }} />

\`\`\`jsx
import no from './code.png'
\`\`\`
`,
  'page.tsx': `import Image from 'next/image';
import hero from './hero.png';
import other from "./other.png";
const one: string = \`/template.png\`;
export const Page = <T,>({ x }: { x: T }) => (
  <main style={{ backgroundImage: 'url("style.png")' }}>
    <Image src={hero} alt="" /><Image src="/optimized.png" /><img src="it's.png" srcSet="a.png 1x, b.png 2x" alt='c.png' />
    <video poster={"poster.png"} /><img src={\`/\${x}/dynamic.png\`} /><img src={x ? '/yes.png' : '/no.png'} /> don't
    <img src="entity&amp;.png" />
  </main>
);
const list = ['one.png', { src: 'two.png', 'key.png': 1 }, new URL('./url.png', import.meta.url), require('./required.png')];
const joined = base + '/joined.png'; /* comment.png */ const escaped = 'don\\'t\\u0020.png';`,
  'broken.js': `const a = 'one.png'; {{{ ((( const b = "two.png" + x; \`three.png\` // four.png\nit's "five.png"`,
  'styled.js':
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is in the source
    'const A = styled.div`background: url(styled.png); color: ${colour}; mask: url(${base}/dynamic.svg)`; const html = `<img src="html.png">`;',
  'Card.vue': `<template>
  <img src="@/assets/plain.png"><img :src="'bound.png'"><img :src="x ? 'yes.png' : 'no.png'"><img :src="require('@/required.png')">
  <NuxtImg src="/optimized.png" /><div :style="{ backgroundImage: 'url(style.png)' }" @click="go('click.png')"></div>
</template>
<script setup lang="ts">
import hero from './hero.png'
const list: string[] = ['list.png']
</script>
<style lang="scss" scoped>
.a { background: url(style-block.png); } // url(gone.png)
</style>`,
  'Card.svelte': `<script>import hero from '$lib/hero.png'</script>
<img src={hero} alt=""><img src="plain.png"><img src={"literal.png"}><img src="{base}/dynamic.png"><enhanced:img src="./enhanced.png" />
{#if x}<img src={\`template.png\`} alt="a > b">{/if}<style>p { background: url(style.png) }</style>`,
  'page.astro': `---
import { Image } from 'astro:assets';
import hero from '../hero.png';
const cover = '/cover.png';
---
<Image src={hero} alt="" /><img src="/plain.png">{list.map((item) => <img src="/item.png" />)}<img src={x ? '/yes.png' : '/no.png'}>
<style>p { background: url(style.png) }</style><script>const a: string = 'script.png';</script>`,
  'data.json': `{"image": "\\/images\\/escaped.png", "list": ["a.png", "text"], "html": "<img src='b.png'>", "link": "https://example.org/c", "key.png": 1}`,
  'site.webmanifest': `{"name": "x", "icons": [{"src": "/icon.png", "sizes": "1x1"}]}`,
  'data.yaml': `image: /plain.png\n"quoted": "a\\u0020b.png"\nsingle: 'it''s.png' # note.png\nflow: [one.png, "two.png", {src: three.png}]\nkey.png: text\nlist:\n  - item.png\nblock: |\n  <img src="block.png">\n`,
  'config.toml': `image = "basic.png"\nliteral = 'literal.png' # note.png\n[params."key.png"]\nlist = ["one.png", """two.png"""]\n`,
  'feed.xml': `<?xml version="1.0"?><rss><channel><image><url>https://example.org/channel.png</url></image>
<item><enclosure url="enclosure.png?a=1&amp;b=2"/><description><![CDATA[<p><img src="cdata.png"></p>]]></description>
<summary>&lt;img src="escaped.png"&gt;</summary></item></channel></rss>`,
  'drawing.svg': `<svg xmlns:xlink="x"><style><![CDATA[p { fill: url(style.png) }]]></style><image xlink:href="linked.png"/><image href="a&amp;b.png"/></svg>`,
};
