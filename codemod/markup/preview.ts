/** Makes plans that fix the markup of images. They contain the attributes to add, and what is skipped and why. */
import { groupBy } from '../../base/group-by.ts';
import type { Call } from '../../mcp/tool.ts';
import type { ReplacementPackage } from '../package/package.ts';
import { Destinations } from '../plan/destinations.ts';
import { fileDiff } from '../plan/diff.ts';
import { applyEdits, type Edit, newPlan, type Plan, type SkippedReference } from '../plan/plan.ts';
import { type FileSelection, type Preview, selection } from '../plan/preview.ts';
import { ScannedPages } from '../plan/scanned-pages.ts';
import type { ProjectRoot } from '../project/root.ts';
import type { CandidateKind } from '../readers/candidate.ts';
import type { ImageElement } from '../readers/image-element.ts';
import { readImageElements } from '../readers/read.ts';
import { type Found, findReferences } from '../references/find.ts';
import type { Reference } from '../references/reference.ts';
import type { Source } from '../references/source.ts';
import { type AltText, AltTexts, fixAlt } from './alt.ts';
import { fixDimensions } from './dimensions.ts';
import { type Fix, MARKUP_FIX_KINDS, type MarkupFixKind } from './fix.ts';
import { type MarkupImage, MarkupImages } from './images.ts';
import { fixLazy } from './lazy.ts';
import { placesOf } from './place.ts';
import { SizeConflicts } from './size-conflicts.ts';
import { fixSrcset } from './srcset.ts';

interface MarkupOptions extends FileSelection {
  kinds: readonly MarkupFixKind[];
  words: readonly AltText[];
}

export async function makeMarkupPlan(
  root: ProjectRoot,
  source: ReplacementPackage,
  options: MarkupOptions,
  { signal, progress }: Pick<Call, 'signal' | 'progress'>,
): Promise<Preview> {
  const images = new MarkupImages(source, options.kinds);
  const found = await findReferences(root, { lines: images.lines, mapsSocial: true }, { signal, progress });
  const doubts = options.kinds.some((kind) => SIZE_KINDS.has(kind))
    ? await SizeConflicts.read(root, found.project, source.domain, signal)
    : undefined;
  const planner = new MarkupPlanner(root, source, found, images, doubts, options);
  for (const [path, references] of groupBy(found.references, ({ file }) => file)) {
    signal.throwIfAborted();
    await planner.file(found.sources.get(path)!, references);
  }
  return planner.preview();
}

/** Kinds of places that may end up in an `img` of a page without being in the tag of one. */
const INDIRECT_KINDS: ReadonlySet<CandidateKind> = new Set([
  'img_src',
  'lazy_attribute',
  'import',
  'string',
  'data',
  'template',
  'text',
]);
/** Fixes that depend on the size, for which style sheets and the image file are read. */
const SIZE_KINDS: ReadonlySet<MarkupFixKind> = new Set(['missing_dimensions', 'missing_srcset']);
/** Reasons that do not matter for attributes that are independent of the image file. */
const FILE_REASONS: ReadonlySet<string | undefined> = new Set(['original_missing']);

class MarkupPlanner {
  readonly #root: ProjectRoot;
  readonly #images: MarkupImages;
  readonly #doubts: SizeConflicts | undefined;
  readonly #scanned: ScannedPages;
  readonly #kinds: readonly MarkupFixKind[];
  readonly #words: AltTexts;
  readonly #isExcluded: (path: string) => boolean;
  readonly #isIncluded: ((path: string) => boolean) | undefined;
  readonly #destinations: Destinations;
  /** Images that the project's documents preload. */
  readonly #preloaded: ReadonlySet<string | undefined>;
  readonly #needsWords = new Map<string, { image: string; page: string; places: string[] }>();
  readonly #diffs: string[] = [];
  readonly #plan: Plan;

  constructor(
    root: ProjectRoot,
    source: ReplacementPackage,
    { project, references }: Found,
    images: MarkupImages,
    doubts: SizeConflicts | undefined,
    { kinds, words, include, exclude }: MarkupOptions,
  ) {
    const files = [...project.sources, ...project.skipped].map(({ path }) => path);
    this.#root = root;
    this.#images = images;
    this.#doubts = doubts;
    this.#scanned = new ScannedPages(source, project.framework);
    this.#kinds = MARKUP_FIX_KINDS.filter((kind) => kinds.includes(kind));
    this.#destinations = new Destinations(root, source);
    this.#preloaded = new Set(
      references.filter(({ candidate }) => candidate.kind === 'link_preload').map(({ image }) => image),
    );
    this.#words = new AltTexts(words);
    this.#isIncluded = selection(include, files);
    this.#isExcluded = selection(exclude, files) ?? (() => false);
    this.#plan = newPlan(source.id, 'markup');
  }

  async file(source: Source, references: readonly Reference[]): Promise<void> {
    const elements = readImageElements(source.path, source.text);
    const edits: Edit[] = [];
    const done = new Set<ImageElement>();
    for (const reference of references) {
      const { candidate } = reference;
      const element =
        candidate.kind === 'img_src'
          ? elements.find(({ start, end }) => start <= candidate.start && candidate.end <= end)
          : undefined;
      if (element && done.has(element)) continue;
      if (element) done.add(element);
      const edit = await this.#edit(source, reference, element);
      if (edit) edits.push(edit);
    }
    if (edits.length === 0) return;
    const { path, text, state } = source;
    edits.sort((one, other) => one.start - other.start);
    this.#plan.files.push({ path, before: state, edits });
    this.#diffs.push(fileDiff(path, text, applyEdits(text, edits)));
  }

  preview(): Preview {
    const needsWords = [...this.#needsWords.values()];
    this.#plan.added = this.#destinations.addedFor(this.#plan.files);
    this.#plan.markup = { kinds: this.#kinds, needsWords, unusedWords: this.#words.unused };
    return { plan: this.#plan, diff: this.#diffs.join('') };
  }

  /** Collects the attributes to add to one `img`. */
  async #edit(source: Source, reference: Reference, element: ImageElement | undefined): Promise<Edit | undefined> {
    const image = this.#images.of(reference.line.seq);
    const wanted = this.#kinds.filter((kind) => image.places.some(({ findings }) => findings.includes(kind)));
    const skip = (kind: MarkupFixKind, reason: SkippedReference['reason'], because?: string) =>
      this.#skip(source, reference, { kind, reason, ...(because === undefined ? {} : { because }) });
    const added = new Map<string, string>();
    const targets = reference.image === undefined ? [] : [reference.image];
    for (const kind of wanted) {
      const reason = this.#reasonOf(reference, element, kind);
      if (!element || reason) {
        if (INDIRECT_KINDS.has(reference.candidate.kind)) skip(kind, reason ?? 'not_an_img');
        continue;
      }
      const fix = await this.#fix(kind, source, reference, element, image, added);
      if (fix === 'needs_words') this.#requestAltText(source, reference, image);
      else if (fix === 'nothing_missing') continue;
      else if ('reason' in fix) skip(kind, fix.reason, fix.because);
      else {
        for (const [name, value] of fix.attributes) added.set(name, value);
        targets.push(...(fix.targets ?? []));
      }
    }
    if (!element || added.size === 0) return undefined;
    const { insertAt: start } = element;
    return {
      start,
      end: start,
      before: '',
      after: [...added].map(([name, value]) => formatAttribute(name, value)).join(''),
      ...source.places.at(start),
      seq: null,
      confidence: reference.confidence,
      targets,
    };
  }

  #reasonOf(
    { file, reason, isFileReason }: Reference,
    element: ImageElement | undefined,
    kind: MarkupFixKind,
  ): SkippedReference['reason'] | undefined {
    if (this.#isExcluded(file) || (this.#isIncluded && !this.#isIncluded(file))) return 'excluded';
    const own = isFileReason && this.#isIncluded ? undefined : reason;
    return element?.reason ?? (!SIZE_KINDS.has(kind) && FILE_REASONS.has(own) ? undefined : own);
  }

  async #fix(
    kind: MarkupFixKind,
    { path, text, places }: Source,
    reference: Reference,
    element: ImageElement,
    image: MarkupImage,
    added: ReadonlyMap<string, string>,
  ): Promise<Fix | 'needs_words'> {
    const { candidate, image: file } = reference;
    const place = { file: path, text, ...places.at(candidate.start) };
    switch (kind) {
      case 'missing_dimensions':
        return await fixDimensions(this.#root, element, file, () => this.#doubts!.of(path, text, element));
      case 'missing_lazy':
        return fixLazy(element, image.places, place, this.#scanned);
      case 'missing_alt': {
        const shown = placesOf(image.places, place, this.#scanned) ?? [];
        return fixAlt(element, shown, () => this.#words.of([file, image.from, candidate.address, candidate.raw]));
      }
      case 'missing_srcset': {
        const { replacement } = image;
        const doubt = () => this.#doubts!.ofWidth(path, text, element);
        const isPreloaded = this.#preloaded.has(file);
        const place = { root: this.#root, element, reference, replacement, added, isPreloaded, doubt };
        return await fixSrcset(place, this.#destinations);
      }
    }
  }

  #skip(
    { path, places }: Source,
    { candidate: { start, raw } }: Reference,
    more: Pick<SkippedReference, 'reason' | 'kind' | 'because'>,
  ): void {
    this.#plan.skipped.push({ file: path, line: places.at(start).line, raw, seq: null, ...more });
  }

  #requestAltText({ path, places }: Source, { candidate, image: file }: Reference, image: MarkupImage): void {
    const place = `${path}:${places.at(candidate.start).line}`;
    const name = file ?? image.from;
    const asked = this.#needsWords.get(name) ?? { image: name, page: image.places[0]!.page, places: [] };
    asked.places.push(place);
    this.#needsWords.set(name, asked);
  }
}

/** Writes attributes into sources, in a form that is safe in every template language. */

/** Characters that are special in templates and preprocessors, even inside a quoted attribute. */
const SPECIAL_CHARACTERS = /[&<>"{}$#@`\\]/g;
/** Escaped if unbalanced, because the syntax check compares bracket counts. */
const BRACKETS = /[()[\]]/g;

/** Formats an attribute with a leading space. Template characters are written as character references. */
function formatAttribute(name: string, value: string): string {
  const plain = value.replaceAll(/[\p{Cc}\p{Zs}\u2028\u2029]+/gu, ' ').trim();
  const signs = plain.replaceAll(SPECIAL_CHARACTERS, reference);
  return ` ${name}="${isBalanced(plain) ? signs : signs.replaceAll(BRACKETS, reference)}"`;
}

const reference = (sign: string): string => `&#${sign.charCodeAt(0)};`;

function isBalanced(text: string): boolean {
  const open: string[] = [];
  for (const [bracket] of text.matchAll(BRACKETS)) {
    if (bracket === '(' || bracket === '[') open.push(bracket);
    else if (open.pop() !== (bracket === ')' ? '(' : '[')) return false;
  }
  return open.length === 0;
}
