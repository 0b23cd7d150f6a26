/**
 * Sources of every kind, with marks. `⟦` and `⟧` enclose an address that is replaced. `‹`, a reason and `|` stand
 * before an address that is reported, and `›` after it.
 */
export const TYPES: Readonly<Record<string, string>> = {
  'pug.pug': `doctype html
html
  head
    meta(property="og:image" content="‹social_image|/img/hero.jpg›")
    style.
      .a { background: url("⟦/img/hero.jpg⟧") }
  body
    //- ‹comment|/img/hero.jpg›
      and ‹comment|/img/two.jpg›
    - const hero = "⟦/img/hero.jpg⟧"
    img(src="⟦/img/hero.jpg⟧", alt='‹unsupported_type|hero.jpg›')
    img.wide#top(
      src='⟦/img/two.jpg⟧'
      data-src="⟦/img/hero.jpg?v=2⟧" srcset="⟦/img/hero.jpg⟧ 1x, ⟦/img/two.jpg⟧ 2x"
    )
    img(src="‹dynamic|/img/hero.jpg›" + version)
    img(src=\`‹dynamic|\${base}/img/hero.jpg›\` loading="lazy")
    img(:src="'⟦/img/two.jpg⟧'" src=asset("‹dynamic|/img/two.jpg›"))
    li: a(href="⟦/img/hero.jpg⟧") text #[img(src="⟦/img/two.jpg⟧")] more #[b c]
    +card("‹dynamic|/img/hero.jpg›")
    p see ‹unsupported_type|/img/hero.jpg›
    | <img src="⟦/img/hero.jpg⟧"><img src="‹dynamic|#{base}/img/two.jpg›">
    :markdown-it
      ![x](‹unsupported_type|/img/two.jpg›)
    script.
      load("⟦/img/hero.jpg⟧", '⟦/img/two.jpg⟧')
`,
  'haml.haml': `!!!
%html
  -# ‹comment|/img/hero.jpg›
  %meta{property: "og:image", content: "‹social_image|/img/hero.jpg›"}
  %img{src: "⟦/img/hero.jpg⟧", :alt => 'x', 'data-src' => '⟦/img/two.jpg⟧'}
  %img.wide{ data: { src: "⟦/img/two.jpg⟧", zoom: "⟦/img/hero.jpg⟧" },
    srcset: "⟦/img/hero.jpg⟧ 1x, ⟦/img/two.jpg⟧ 2x" }
  %img(src="⟦/img/hero.jpg⟧" alt='y')
  .hero{style: "background: url('⟦/img/two.jpg⟧')"}
  %img{src: "‹dynamic|#{base}/img/hero.jpg›"}
  %img{src: "‹dynamic|/img/hero.jpg›" + suffix}
  %img{src: asset_path("‹dynamic|/img/two.jpg›")}
  = image_tag "‹dynamic|/img/hero.jpg›", alt: "x"
  - cover = "⟦/img/two.jpg⟧"
  %p see ‹unsupported_type|/img/hero.jpg›
  <img src="⟦/img/two.jpg⟧">
  :css
    p { background: url(⟦/img/hero.jpg⟧) }
  :markdown
    ![x](‹unsupported_type|/img/hero.jpg›)
`,
  'slim.slim': `doctype html
html
  / ‹comment|/img/hero.jpg›
  meta property="og:image" content="‹social_image|/img/two.jpg›"
  img src="⟦/img/hero.jpg⟧" alt="x" data-src='⟦/img/two.jpg⟧'
  img[src="⟦/img/two.jpg⟧"
    srcset="⟦/img/hero.jpg⟧ 1x, ⟦/img/two.jpg⟧ 2x"]
  li.item: img src="⟦/img/hero.jpg⟧"
  img src="‹dynamic|#{base}/img/hero.jpg›"
  img src=asset_path("‹dynamic|/img/two.jpg›")
  == image_tag "‹dynamic|/img/hero.jpg›"
  - cover = "⟦/img/hero.jpg⟧"
  | see ‹unsupported_type|/img/two.jpg› and <img src="⟦/img/hero.jpg⟧">
  css:
    p { background: url(⟦/img/two.jpg⟧) }
`,
  'phtml.phtml': `<img src="⟦/img/hero.jpg⟧"><?php $a = '⟦/img/two.jpg⟧'; $b = $base . '‹dynamic|/img/hero.jpg›'; # ‹comment|/img/two.jpg›
?><img src="‹dynamic|<?= $base ?>/img/hero.jpg›"> see ‹unsupported_type|/img/two.jpg›`,
  'mustache.mustache': `{{! ‹comment|/img/hero.jpg› }}<img src="⟦/img/hero.jpg⟧" srcset="⟦/img/hero.jpg⟧ 1x, ⟦/img/two.jpg⟧ 2x">
<img src="‹dynamic|{{base}}/img/hero.jpg›"><img src="‹dynamic|{{{base}}}/img/two.jpg›"><p>‹unsupported_type|/img/hero.jpg›</p>`,
  'smarty.tpl': `{* ‹comment|/img/hero.jpg› *}{if $a}<img src="⟦/img/hero.jpg⟧">{/if}<img src="‹dynamic|{$base}/img/hero.jpg›">
<img src="{image file="‹dynamic|/img/two.jpg›"}"><style>p{background:url(⟦/img/two.jpg⟧)}</style> ‹unsupported_type|/img/hero.jpg›`,
  'latte.latte': `{* ‹comment|/img/two.jpg› *}<img src="⟦/img/hero.jpg⟧" n:if="$a"><img src="‹dynamic|{$basePath}/img/hero.jpg›">
<a href="⟦/img/two.jpg⟧" n:attr="src => '‹unsupported_type|/img/two.jpg›'">{_'‹dynamic|/img/hero.jpg›'}</a>`,
  'edge.edge': `{{-- ‹comment|/img/hero.jpg› --}}@if(user)<img src="⟦/img/hero.jpg⟧">@endif<img src="‹dynamic|{{ base }}/img/two.jpg›">
<img src="{{ asset('‹dynamic|/img/two.jpg›') }}"><a href='⟦/img/two.jpg⟧'>‹unsupported_type|/img/hero.jpg›</a>`,
  'eta.eta': `<%/* ‹unsupported_type|/img/hero.jpg› */%><img src="⟦/img/hero.jpg⟧"><img src="‹dynamic|<%= it.base %>/img/hero.jpg›">
<% const a = "‹dynamic|/img/two.jpg›" %><a href="⟦/img/two.jpg⟧"></a>`,
  'swig.swig': `{# ‹comment|/img/hero.jpg› #}<img src="⟦/img/hero.jpg⟧"><img src="{{ url('‹dynamic|/img/hero.jpg›') }}"><a href="⟦/img/two.jpg⟧">‹unsupported_type|/img/two.jpg›</a>`,
  'njk.njk': `---\ncover: ⟦/img/hero.jpg⟧\n---\n{# ‹comment|/img/hero.jpg› #}<img src="⟦/img/two.jpg⟧"><img src="‹dynamic|{{ base }}/img/hero.jpg›">{% set a = "‹dynamic|/img/two.jpg›" %}`,
  'jinja.jinja2': `{# ‹comment|/img/hero.jpg› #}<img src="⟦/img/hero.jpg⟧"><img src="{{ url_for('static', filename='‹dynamic|img/hero.jpg›') }}"><img data-src="⟦/img/two.jpg⟧">`,
  'j2.j2': `<img src='⟦/img/hero.jpg⟧'><img src="‹dynamic|{{ base }}/img/two.jpg›"><p style="background:url(⟦/img/two.jpg⟧)">‹unsupported_type|/img/two.jpg›</p>`,
  'tmpl.tmpl': `{{/* ‹comment|/img/hero.jpg› */}}<img src="⟦/img/hero.jpg⟧"><img src="‹dynamic|\${base}/img/hero.jpg›"><img src="‹dynamic|{{ .Base }}/img/two.jpg›"><a href="⟦/img/two.jpg⟧"></a>`,
  'gohtml.gohtml': `{{- /* ‹comment|/img/two.jpg› */ -}}<img src="⟦/img/hero.jpg⟧"><img src="{{ printf "‹dynamic|/img/two.jpg›" }}"><a href="⟦/img/two.jpg⟧">‹unsupported_type|/img/hero.jpg›</a>`,
  'templ.templ': `package views

// ‹comment|/img/hero.jpg›
const hero = "⟦/img/hero.jpg⟧"
var joined = base + "‹dynamic|/img/hero.jpg›"

templ Page(base string) {
	<img src="⟦/img/hero.jpg⟧" alt="x"/>
	<img src={ "⟦/img/two.jpg⟧" }/>
	<img src={ base + "‹dynamic|/img/two.jpg›" }/>
	<p>‹unsupported_type|/img/two.jpg›</p>
}

var two = "⟦/img/two.jpg⟧"
`,
  'webc.webc': `<!-- ‹comment|/img/hero.jpg› --><img src="⟦/img/hero.jpg⟧"><img :src="'⟦/img/two.jpg⟧'"><img :src="base + '‹dynamic|/img/two.jpg›'"><p>‹unsupported_type|/img/two.jpg›</p>`,
  'mjml.mjml': `<mjml><mj-body><mj-section background-url="⟦/img/hero.jpg⟧"><mj-image src="⟦/img/two.jpg⟧" /><mj-image src="‹dynamic|{{ base }}/img/two.jpg›" />
<mj-text>‹unsupported_type|/img/hero.jpg›</mj-text></mj-section></mj-body></mjml>`,
  'ftl.ftl': `<#-- ‹comment|/img/hero.jpg› --><#if a><img src="⟦/img/hero.jpg⟧"></#if><#assign b="‹dynamic|/img/two.jpg›"><img src="‹dynamic|\${base}/img/hero.jpg›"><@img src="‹dynamic|/img/two.jpg›"/><a href="⟦/img/two.jpg⟧"></a>`,
  'vm.vm': `## ‹comment|/img/hero.jpg›
#set($a = "‹dynamic|/img/two.jpg›")#if($b)<img src="⟦/img/hero.jpg⟧">#end<img src="‹dynamic|$base/img/hero.jpg›"><img src="‹dynamic|$!{base}/img/two.jpg›">
<img src="$esc.url("‹dynamic|/img/hero.jpg›")"><a href="⟦/img/two.jpg⟧">#* ‹comment|/img/two.jpg› *#</a>`,
  'heex.heex': `<%!-- ‹comment|/img/hero.jpg› --%><img src="⟦/img/hero.jpg⟧"><img src={"⟦/img/two.jpg⟧"}><img src={~p"‹dynamic|/img/two.jpg›"}><img src={Routes.path(@conn, "‹dynamic|/img/hero.jpg›")}>
<p><%= img_tag "‹dynamic|/img/two.jpg›" %> ‹unsupported_type|/img/hero.jpg›</p>`,
  'Card.razor': `@* ‹comment|/img/hero.jpg› *@<img src="⟦/img/hero.jpg⟧"><img src="‹dynamic|@Base/img/two.jpg›"><img src="@Url.Content("‹dynamic|/img/two.jpg›")"><a href="⟦/img/two.jpg⟧"></a>
@code { string hero = "‹unsupported_type|/img/hero.jpg›"; }`,
  'page.cshtml': `@model Page\n<img src="⟦/img/hero.jpg⟧"><img src="‹dynamic|@(Model.Base)/img/two.jpg›"><source srcset="⟦/img/two.jpg⟧ 2x">@* ‹comment|/img/two.jpg› *@ ‹unsupported_type|/img/two.jpg›`,
  'page.aspx': `<%@ Page Language="C#" %><%-- ‹comment|/img/hero.jpg› --%><asp:Image ImageUrl="⟦/img/hero.jpg⟧" runat="server" /><img src="⟦/img/two.jpg⟧"><img src='<%= Url("‹dynamic|/img/two.jpg›") %>'> ‹unsupported_type|/img/hero.jpg›`,
  'page.shtml': `<!--#include virtual="‹dynamic|/img/hero.jpg›" --><img src="⟦/img/hero.jpg⟧"><img src="‹dynamic|<!--#echo var='base' -->/img/two.jpg›"><!-- ‹comment|/img/two.jpg› --><a href="⟦/img/two.jpg⟧"></a>`,
  'page.marko': `<img src="⟦/img/hero.jpg⟧"/><img src='⟦/img/two.jpg⟧'/><img src=‹dynamic|\`\${base}/img/two.jpg\`/›><img src=(base + "‹unsupported_type|/img/hero.jpg›")/>
<style>p { background: url("⟦/img/two.jpg⟧") }</style><p>‹unsupported_type|/img/two.jpg›</p>`,
  'guide.adoc': `= Title
:logo: ‹unsupported_type|/img/hero.jpg›
// ‹comment|/img/hero.jpg›

image::⟦/img/hero.jpg⟧[Alt,link="⟦/img/two.jpg⟧"]

An image:⟦/img/two.jpg⟧[x] within text, and ‹unsupported_type|/img/two.jpg› alone. image:‹dynamic|{base}/img/two.jpg›[]

----
‹code_block|image::/img/hero.jpg›[]
----

:imagesdir: /img

image::⟦hero.jpg⟧[]

++++
<img src="⟦/img/two.jpg⟧">
++++
`,
  'guide.rst': `Title
=====

.. ‹comment|/img/hero.jpg› is old

.. image:: ⟦/img/hero.jpg⟧
   :alt: x
   :target: ⟦/img/two.jpg⟧

.. |logo| image:: ⟦/img/two.jpg⟧
.. figure:: ‹dynamic|/img/|x|/hero.jpg›

See ‹unsupported_type|/img/hero.jpg›.

.. code-block:: html

   <img src="‹code_block|/img/two.jpg›">

.. raw:: html

   <img src="⟦/img/two.jpg⟧">
`,
  'page.erb': `<%# ‹comment|/img/hero.jpg› %><img src="⟦/img/hero.jpg⟧"><%= image_tag "‹dynamic|/img/two.jpg›" %><img src="‹dynamic|<%= base %>/img/hero.jpg›"><a href="⟦/img/two.jpg⟧">‹unsupported_type|/img/two.jpg›</a>`,
  'app.py': `HERO = "⟦/img/hero.jpg⟧"  # ‹comment|/img/hero.jpg›
pictures = ['⟦/img/two.jpg⟧', r"⟦/img/hero.jpg⟧", {"src": "⟦/img/two.jpg⟧", "‹dynamic|/img/hero.jpg›": 1}]
a = base + "‹dynamic|/img/hero.jpg›"; b = f"‹dynamic|{base}/img/hero.jpg›"; c = "‹dynamic|%s/img/hero.jpg›" % base
d = os.path.join("public", "‹dynamic|img/hero.jpg›"); e = "/img/" "‹dynamic|hero.jpg›"
page = """<img src="‹unsupported_type|/img/two.jpg›">"""
if path == "‹dynamic|/img/two.jpg›": print("see ‹unsupported_type|/img/hero.jpg› there")
`,
  'app.rb': `# ‹comment|/img/hero.jpg›
HERO = "⟦/img/hero.jpg⟧".freeze
pictures = ['⟦/img/two.jpg⟧', { src: "⟦/img/hero.jpg⟧", "‹dynamic|/img/two.jpg›" => 1 }]
a = "‹dynamic|#{base}/img/hero.jpg›"; b = base + '‹dynamic|/img/two.jpg›'; c = %q(‹unsupported_type|/img/hero.jpg›)
`,
  'app.go': `package main

// ‹comment|/img/hero.jpg›
const hero = "⟦/img/hero.jpg⟧"

var raw = \`⟦/img/two.jpg⟧\`
var joined = base + "‹dynamic|/img/two.jpg›"
var format = fmt.Sprintf("‹dynamic|%s/img/two.jpg›", base)
var html = \`<img src="‹unsupported_type|/img/hero.jpg›">\`
`,
  'app.php': `<?php // ‹comment|/img/hero.jpg›
return ['hero' => '⟦/img/hero.jpg⟧', 'two' => "⟦/img/two.jpg⟧", 'c' => $base . '‹dynamic|/img/hero.jpg›', 'd' => "‹dynamic|$base/img/two.jpg›", 'e' => 'see ‹unsupported_type|/img/two.jpg› there'];
`,
  'App.java': `class App {
  /* ‹comment|/img/hero.jpg› */
  static final String HERO = "⟦/img/hero.jpg⟧";
  String[] all = { "⟦/img/two.jpg⟧", base + "‹dynamic|/img/hero.jpg›", String.format("‹dynamic|%s/img/two.jpg›", base) };
  String text = """
    <img src="‹unsupported_type|/img/hero.jpg›">
    """;
}
`,
  'data.yaml': `hero: ⟦/img/hero.jpg⟧ # ‹comment|/img/two.jpg›
two: "⟦/img/two.jpg⟧"
list: ['⟦/img/hero.jpg⟧', ⟦/img/two.jpg⟧]
text: see ‹unsupported_type|/img/hero.jpg› there
`,
  'data.csv': `name,image,text\none,⟦/img/hero.jpg⟧,"⟦/img/two.jpg⟧"\ntwo,"see ‹unsupported_type|/img/hero.jpg›, there",⟦https://example.com/img/two.jpg⟧\n`,
  'excel.csv': `name;image\none;⟦/img/hero.jpg⟧\n"two; ""quoted""";⟦/img/two.jpg⟧\n`,
  'ejs.ejs': `<%# ‹comment|/img/hero.jpg› %><img src="⟦/img/hero.jpg⟧"><img src="‹dynamic|<%= base %>/img/two.jpg›"><a href="⟦/img/two.jpg⟧"></a>`,
  'hbs.hbs': `{{!-- ‹comment|/img/hero.jpg› --}}<img src="⟦/img/hero.jpg⟧"><img src="‹dynamic|{{base}}/img/two.jpg›"><a href="⟦/img/two.jpg⟧"></a>`,
  'liquid.liquid': `<img src="⟦/img/hero.jpg⟧"><img src="{{ '‹dynamic|/img/two.jpg›' | asset_url }}"><a href="⟦/img/two.jpg⟧">‹unsupported_type|/img/hero.jpg›</a>`,
  'twig.twig': `{# ‹comment|/img/hero.jpg› #}<img src="⟦/img/hero.jpg⟧"><img src="{{ asset('‹dynamic|/img/two.jpg›') }}"><a href="⟦/img/two.jpg⟧"></a>`,
  'view.blade.php': `{{-- ‹comment|/img/hero.jpg› --}}<img src="⟦/img/hero.jpg⟧"><img src="{{ asset('‹dynamic|/img/two.jpg›') }}"><a href="⟦/img/two.jpg⟧">‹unsupported_type|/img/two.jpg›</a>`,
  'jsp.jsp': `<%-- ‹comment|/img/hero.jpg› --%><img src="⟦/img/hero.jpg⟧"><img src="‹dynamic|\${base}/img/two.jpg›"><a href="⟦/img/two.jpg⟧"></a>`,
};

/** Texts of formats that have no reader. */
export const OTHERS: Readonly<Record<string, string>> = {
  'notes.txt':
    'see ‹unsupported_type|/img/hero.jpg›, ‹unsupported_type|/img/two.jpg› and ‹unsupported_type|/img/hero.jpg›.\n‹unsupported_type|https://example.com/img/two.jpg›',
  Makefile: 'image:\n\tcp ‹unsupported_type|public/img/hero.jpg› out\n',
  'app.rs': 'const HERO: &str = "‹unsupported_type|/img/hero.jpg›";\n',
  'nginx.conf': 'rewrite ^/old$ ‹unsupported_type|/img/two.jpg›;\n',
  'style.min.css': 'p{background:url(‹unsupported_type|/img/hero.jpg›)}',
};

export const MARK = /⟦([^⟧]*)⟧|‹(\w+)\|([^›]*)›/g;

/** Returns a text without its marks. */
export function sourceOf(text: string): string {
  return text.replace(MARK, (_, address?: string, _reason?: string, raw?: string) => (address ?? raw)!);
}
