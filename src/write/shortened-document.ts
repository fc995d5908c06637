/**
 * Shortens a JSON document to a number of characters: rows from the ends of lists are left out first, then whole keys,
 * the least important first, then the ends of long texts. What is left out is counted.
 */
import { entryOf } from '../containers/map-entry.js';
import { jsonOf } from '../record/control-characters.js';
import { headText, rowsText, tailText, type DocumentHead, type DocumentTail } from './json-document.js';

/** A whole document. Paths of keys lead from here, without the numbers of elements: `answer.devices.gaps`. */
export interface WholeDocument extends Omit<DocumentTail, 'leftOut'> {
  readonly head: DocumentHead;
  /** The first rows, as many as could fit. */
  readonly answer: readonly unknown[];
  /** Number of all rows, and of the characters of the whole document. */
  readonly rows: number;
  readonly characters: number;
  /** Number of inputs that are not among `inputs`. */
  readonly inputsLeftOut: number;
}

/** What a shortened document lacks. */
export interface LeftOut {
  /** Elements that are missing at the ends of lists, by path: rows, or entries of an object with many keys. */
  readonly rows: Readonly<Record<string, number>>;
  /** Paths of keys that are missing, the most important first. */
  readonly keys: readonly string[];
  /** Number of further missing keys, whose paths would take too much of the document. */
  readonly moreKeys: number;
  /** Number of characters to which longer texts are cut; null when all texts are whole. */
  readonly texts: number | null;
  readonly wayOut: string;
}

/** Rows of each list that are shown before more rows of any list. */
const HEAD = 5;
/** An object with more keys is shortened like a list: its last entries are left out. */
const MOST_KEYS = 15;
/** Texts are cut to these lengths, one after the other, until important keys fit. */
const TEXT_LENGTHS = [null, 400, 100] as const;
/** Part of a document that the command may take from the answer, and that paths of missing keys may. */
const [SHORT_COMMAND, SHORT_KEYS] = [0.1, 0.15];
/** The suggested number will be among the arguments in the document, where its digits count too. */
const MOST_DIGITS = 9;
/** Keys whose texts are for the next command. A part of one would be wrong, so a longer text is left out. */
const COMMAND_KEYS: ReadonlySet<string> = new Set(['where', 'see', 'explain']);
/** Keys of the envelope that hold lists; they are never left out. */
const ENVELOPE = ['cannot', 'doubts', 'answer', 'inputs', 'command'] as const;
/** Those that are shown before the parts of the answer. */
const FIRST: ReadonlySet<string> = new Set(['cannot', 'doubts', 'answer']);

/** The part of a document that is shown. */
interface Plan {
  /** Maximum elements by the path of a list; Infinity for an object; absent for a key that is left out. */
  readonly shown: Map<string, number>;
  readonly texts: number | null;
  /** Keys with plain values that are shown, by path; all keys of other objects. */
  readonly essential: Essentials;
}

/** Keys with plain values by the path of their object. */
export type Essentials = Readonly<Record<string, readonly string[]>>;

const ALL_KEYS: Essentials = {};

/** A plan that shows no element of any list. */
const emptyPlan = (texts: number | null, essential = ALL_KEYS): Plan => ({
  ...{ texts, essential },
  shown: new Map(ENVELOPE.map((key) => [key, 0])),
});

/** Kind and size of the values at a path. A list of kind `whole` is shown as a whole or not at all. */
interface Place {
  readonly kind: 'list' | 'whole' | 'object';
  /** Elements of the longest list. */
  longest: number;
}

type JsonObject = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The values of a list or of an object with many keys; null for all other values. */
function elementsOf(value: unknown, isElement: boolean): readonly unknown[] | null {
  if (Array.isArray(value)) return value as readonly unknown[];
  const values = isObject(value) && !isElement ? Object.values(value) : [];
  return values.length > MOST_KEYS ? values : null;
}

/** All paths of lists and objects, in the order of the document. */
function placesOf(
  value: unknown,
  path: string,
  isElement = false,
  found = new Map<string, Place>(),
): Map<string, Place> {
  const elements = elementsOf(value, isElement);
  if (elements !== null) {
    const isNumbers = elements.length > 2 * HEAD && elements.every((element) => typeof element !== 'object');
    const place = entryOf(found, path, () => ({ kind: isNumbers ? 'whole' : 'list', longest: 0 }));
    place.longest = Math.max(place.longest, elements.length);
    for (const element of elements) placesOf(element, path, true, found);
  } else if (isObject(value)) {
    if (!isElement) entryOf(found, path, () => ({ kind: 'object', longest: 0 }));
    for (const [key, child] of Object.entries(value)) placesOf(child, `${path}.${key}`, false, found);
  }
  return found;
}

/** The shown part of a value; counts what is missing. */
class Cutter {
  readonly rows = new Map<string, number>();
  readonly keys = new Set<string>();
  isTextCut = false;

  constructor(private readonly plan: Plan) {}

  cut(value: unknown, path: string, isElement = false): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (typeof value !== 'object' || value === null) return value;
    const elements = elementsOf(value, isElement);
    if (elements === null) return this.#object(value as JsonObject, path);
    const most = this.plan.shown.get(path) ?? 0;
    const missing = elements.length - most;
    if (missing > 0) this.rows.set(path, (this.rows.get(path) ?? 0) + missing);
    if (Array.isArray(value)) return elements.slice(0, most).map((element) => this.cut(element, path, true));
    const entries = Object.entries(value).slice(0, most);
    return Object.fromEntries(entries.map(([key, element]) => [key, this.cut(element, path, true)]));
  }

  #object(value: JsonObject, path: string): JsonObject {
    const entries: [string, unknown][] = [];
    for (const [key, child] of Object.entries(value)) {
      const at = `${path}.${key}`;
      const isEmpty = typeof child === 'object' && child !== null && Object.keys(child).length === 0;
      const isPlain = typeof child !== 'object' || child === null || isEmpty;
      const isTooLong =
        typeof child === 'string' && COMMAND_KEYS.has(key) && child.length > (this.plan.texts ?? Infinity);
      if (isTooLong || (isPlain && this.plan.essential[path]?.includes(key) === false)) this.keys.add(at);
      else if (typeof child !== 'object' || child === null || isEmpty) entries.push([key, this.cut(child, at)]);
      else if (this.plan.shown.has(at)) entries.push([key, this.cut(child, at)]);
      else this.keys.add(at);
    }
    return Object.fromEntries(entries);
  }

  #text(text: string): string {
    const { texts } = this.plan;
    if (texts === null || text.length <= texts) return text;
    this.isTextCut = true;
    return `${text.slice(0, texts - 1)}…`;
  }
}

/** Numbers of characters. */
export interface Limits {
  /** Maximum of this document. */
  readonly most: number;
  /** Largest maximum that may be given. */
  readonly largest: number;
}

export interface Shortened {
  readonly text: string;
  /** Length of the smallest possible document if even that does not fit; otherwise null. */
  readonly least: number | null;
}

/**
 * The document with the most important parts that fit.
 * @param importance paths of keys of `answer`, the most important first; all others follow in the order of the document
 * @param essential the keys to which objects are reduced if one of these objects would otherwise be missing, by path
 */
export function shortened(
  document: WholeDocument,
  limits: Limits,
  importance: readonly string[],
  essential: Essentials = ALL_KEYS,
): Shortened {
  const { command } = document.head;
  const lists = { ...document, command };
  const places = new Map(ENVELOPE.flatMap((key) => [...placesOf(lists[key], key)]));
  // The first of some arguments would look like a whole command.
  places.set('command', { kind: 'whole', longest: command.length });
  const answerOrder = importance.map((path) => `answer.${path}`).flatMap(withParents);
  const order = [...new Set([...FIRST, ...answerOrder, 'inputs', ...places.keys()])].filter((path) => places.has(path));
  const text = (plan: Plan): string => textOf(document, plan, limits, order);
  const fits = (plan: Plan): boolean => text(plan).length <= limits.most;
  const showFirst: ShowHead = (plan, path, most) => showHead(plan, path, places, fits, most);
  const isShort = jsonOf(command).length <= limits.most * SHORT_COMMAND;
  const showCommand = (plan: Plan): void => {
    if (isShort) extend(plan, 'command', document, places, fits);
  };
  let best: Plan | null = null;
  for (const texts of TEXT_LENGTHS) {
    const plan = emptyPlan(texts);
    if (!fits(plan)) continue;
    showCommand(plan);
    for (const path of order)
      if (places.get(path)?.kind === 'whole' && answerOrder.includes(path)) extend(plan, path, document, places, fits);
      else showFirst(plan, path);
    best = plan;
    const important = order.filter((path) => answerOrder.includes(path) || FIRST.has(path));
    if (important.every((path) => isSeen(plan, path, places))) break;
  }
  if (best === null) {
    const least = text(emptyPlan(TEXT_LENGTHS.at(-1) ?? null));
    return { text: '', least: least.length };
  }
  const essentials = Object.fromEntries(Object.entries(essential).map(([path, keys]) => [`answer.${path}`, keys]));
  if (Object.keys(essentials).some((path) => places.has(path) && !isSeen(best as Plan, path, places)))
    best = briefPlan(emptyPlan(best.texts, essentials), order, showFirst, showCommand);
  for (const path of order) extend(best, path, document, places, fits);
  return { text: text(best), least: null };
}

type ShowHead = (plan: Plan, path: string, most?: number) => void;

/** Fills an empty plan: one row of each list with essential keys first, then the command, then more rows. */
function briefPlan(plan: Plan, order: readonly string[], showFirst: ShowHead, showCommand: (plan: Plan) => void): Plan {
  for (const path of order) if (FIRST.has(path) || Object.hasOwn(plan.essential, path)) showFirst(plan, path, 1);
  showCommand(plan);
  for (const path of order) showFirst(plan, path);
  return plan;
}

/** `a.b.c` after `a` and `a.b`. */
function withParents(path: string): string[] {
  const names = path.split('.');
  return names.map((_, i) => names.slice(0, i + 1).join('.'));
}

const isSeen = ({ shown }: Plan, path: string, places: ReadonlyMap<string, Place>): boolean =>
  (shown.get(path) ?? 0) > 0 || places.get(path)?.longest === 0 || places.get(path)?.kind === 'whole';

/** Shows the first rows of a list, or the key of an object, if they fit. */
function showHead(
  plan: Plan,
  path: string,
  places: ReadonlyMap<string, Place>,
  fits: (plan: Plan) => boolean,
  most = HEAD,
): void {
  const { shown } = plan;
  const { kind, longest } = places.get(path) ?? { kind: 'object', longest: 0 };
  const parent = path.slice(0, Math.max(0, path.lastIndexOf('.')));
  if (kind === 'whole' || (parent !== '' && !shown.has(parent))) return;
  const before = shown.get(path);
  const sizes = kind === 'object' ? [Infinity] : [HEAD, 3, 1].map((size) => Math.min(size, most, longest));
  for (const size of new Set(sizes)) {
    shown.set(path, size);
    if (fits(plan)) return;
  }
  if (before === undefined) shown.delete(path);
  else shown.set(path, before);
}

/** Shows as many rows of a list as fit. */
function extend(
  plan: Plan,
  path: string,
  { rows }: WholeDocument,
  places: ReadonlyMap<string, Place>,
  fits: (plan: Plan) => boolean,
): void {
  const { shown } = plan;
  const { kind, longest } = places.get(path) ?? { kind: 'object', longest: 0 };
  const parent = path.slice(0, Math.max(0, path.lastIndexOf('.')));
  if (parent !== '' && !shown.has(parent)) return;
  const before = shown.get(path);
  const works = (size: number): boolean => {
    shown.set(path, size);
    return fits(plan);
  };
  if (kind !== 'list') {
    if ((before ?? 0) > 0 || works(kind === 'object' ? Infinity : longest)) return;
    if (before === undefined) shown.delete(path);
    else shown.set(path, before);
    return;
  }
  // The step is doubled until the document is too long, so that no attempt is much longer than the limit.
  const end = path === 'answer' ? Math.min(longest, rows) : longest;
  let [low, step] = [before ?? 0, 1];
  while (low < end && works(Math.min(end, low + step))) {
    low = Math.min(end, low + step);
    step *= 2;
  }
  for (let high = Math.min(end, low + step); high - low > 1;) {
    const middle = Math.floor((low + high) / 2);
    if (works(middle)) low = middle;
    else high = middle;
  }
  if (low === 0 && before === undefined) shown.delete(path);
  else shown.set(path, low);
}

/** What to do to see everything. */
function wayOutOf({ characters }: WholeDocument, { largest }: Limits): string {
  const needed = characters + MOST_DIGITS;
  return needed > largest ? 'nothing is left out without --max-chars' : `--max-chars ${needed} leaves nothing out`;
}

/** The paths of missing keys that have room, and the number of the others. */
function missingKeys(
  keys: ReadonlySet<string>,
  order: readonly string[],
  { most }: Limits,
): Pick<LeftOut, 'keys' | 'moreKeys'> {
  const named: string[] = [];
  let length = 0;
  // Paths of plain values are not among the places, and come last.
  for (const key of new Set([...order.filter((path) => keys.has(path)), ...keys])) {
    length += jsonOf(key).length + 1;
    if (length > most * SHORT_KEYS) break;
    named.push(key);
  }
  return { keys: named, moreKeys: keys.size - named.length };
}

function textOf(document: WholeDocument, plan: Plan, limits: Limits, order: readonly string[]): string {
  const cutter = new Cutter(plan);
  const { head, answer, inputs, window, doubts, cannot, rows } = document;
  const list = (elements: readonly unknown[], path: string) => cutter.cut(elements, path) as readonly object[];
  const command = (plan.shown.get('command') ?? 0) > 0 ? head.command : [];
  const argumentsMissing = head.command.length - command.length;
  if (argumentsMissing > 0) cutter.rows.set('command', argumentsMissing);
  const parts = { inputs: list(inputs, 'inputs'), doubts: list(doubts, 'doubts'), cannot: list(cannot, 'cannot') };
  const lines = list(answer, 'answer').map((row) => `${jsonOf(row)}\n`);
  const missing = rows - lines.length;
  if (missing > 0) cutter.rows.set('answer', missing);
  const inputsMissing = (cutter.rows.get('inputs') ?? 0) + document.inputsLeftOut;
  if (inputsMissing > 0) cutter.rows.set('inputs', inputsMissing);
  const leftOut: LeftOut = {
    rows: Object.fromEntries(cutter.rows),
    ...missingKeys(cutter.keys, order, limits),
    texts: cutter.isTextCut ? plan.texts : null,
    wayOut: wayOutOf(document, limits),
  };
  const text = lines.length === 0 ? '' : rowsText(lines.join(''), true);
  return `${headText({ ...head, command }, parts.inputs)}${text}${tailText({ ...parts, window, leftOut }, lines.length > 0, true)}`;
}
