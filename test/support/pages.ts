/** Pages' data as a test wants it: from records, or out of a document; timelines unpacked by zlib, not by the page. */
import { inflateRawSync } from 'node:zlib';
import { openSource } from '../../src/sources/sources.js';
import type { PageContents, PageData, PageProfile } from '../../src/prof/html/page-data.js';
import { detailsId, OUTLINE_ID, type PageOutline, type PageProfileDetails } from '../../src/prof/html/page-elements.js';
import type { PackedColumn, PackedTimeline, PagePart } from '../../src/prof/html/timeline/timeline-data.js';
import type { Timeline, TimelineColumn, TimelineTables } from '../../src/prof/html/timeline/timeline-data.js';
import { EVENT_KINDS, timelineId } from '../../src/prof/html/timeline/timeline-data.js';
import { PageBuilder, PAGE_TYPES, type PageOptions } from '../../src/prof/html/page-builder.js';
import { joinPiece } from '../../src/page/timeline/pieces/page-ranks.js';
import type { ProfileLine } from '../../src/record/record.js';
import { takeAll } from './rows.js';

const USUAL: PageOptions = { timeline: { of: 'usual' }, events: 2_000_000 };

export function pageContentsOf(records: Iterable<ProfileLine>, options: Partial<PageOptions> = {}): PageContents {
  const pages = new PageBuilder({ ...USUAL, ...options });
  takeAll(records, pages);
  pages.finish();
  return pages.contents({ tool: { name: 'dprof', version: '0' }, title: 'test', input: 'test', doubts: [] });
}

export const pageDataOf = (records: Iterable<ProfileLine>, options: Partial<PageOptions> = {}): PageData =>
  pageContentsOf(records, options).data;

/** A piece of a profile, by its place; null where it is not on the page. */
export function pieceOf(parts: readonly PagePart[], profile: number, piece: number): Timeline | null {
  const valueOf = (id: string): unknown => parts.find((part) => part.id === id)?.value;
  const packed = valueOf(timelineId(profile, piece)) as PackedTimeline | undefined;
  return packed === undefined ? null : joinPiece(valueOf(timelineId(profile)) as TimelineTables, packed);
}

/** All pieces of each profile, that of the whole profile first. */
export function piecesOf({ data, parts }: PageContents): (Timeline | null)[][] {
  return data.profiles.map(({ timeline }, at) => (timeline?.pieces ?? []).map((_, piece) => pieceOf(parts, at, piece)));
}

/** The piece of the first profile that is shown first. */
export function shownFirst({ data, parts }: PageContents): Timeline {
  const first = data.profiles[0]?.timeline?.first;
  const found = first === undefined ? null : pieceOf(parts, 0, first);
  if (found === null) throw new Error('no timeline');
  return found;
}

/** Of the only profile. */
export function pageOf(records: Iterable<ProfileLine>, options: Partial<PageOptions> = {}): PageProfile {
  const [only, ...others] = pageDataOf(records, options).profiles;
  if (only === undefined || others.length > 0) throw new Error('not one profile');
  return only;
}

const READ: Readonly<Record<PackedColumn['type'], (bytes: Buffer, at: number) => number>> = {
  u8: (bytes, at) => bytes.readUInt8(at),
  u16: (bytes, at) => bytes.readUInt16LE(2 * at),
  u32: (bytes, at) => bytes.readUInt32LE(4 * at),
  f64: (bytes, at) => bytes.readDoubleLE(8 * at),
};

export function unpacked({ type, length, data, rising }: PackedColumn): number[] {
  const bytes = inflateRawSync(Buffer.from(data, 'base64'));
  let last = rising ?? 0;
  return Array.from({ length }, (_, at) => {
    const number = READ[type](bytes, at);
    return rising === undefined ? number : (last += number);
  });
}

/** An event with its strings. */
export interface Event {
  readonly kind: string;
  readonly name: string;
  readonly lane: string;
  readonly depth: number;
  readonly start: number;
  readonly dur: number;
  readonly op: string;
  readonly layer: string;
  readonly id: number;
  readonly flops: number;
  readonly bytes: number;
}

export function eventsOf({ columns, texts, lanes }: Timeline): Event[] {
  const of = Object.fromEntries(Object.entries(columns).map(([name, packed]) => [name, unpacked(packed)])) as Record<
    TimelineColumn,
    number[]
  >;
  const cell = (name: TimelineColumn, i: number): number => of[name][i] ?? NaN;
  const text = (name: TimelineColumn, i: number): string => texts[cell(name, i)] ?? '';
  return of.start.map((start, i) => ({
    kind: EVENT_KINDS[cell('kind', i)] ?? '',
    name: text('name', i),
    lane: lanes[cell('lane', i)]?.name ?? '',
    ...{ depth: cell('depth', i), start, dur: cell('dur', i), op: text('op', i), layer: text('layer', i) },
    ...{ id: cell('id', i), flops: cell('flops', i), bytes: cell('bytes', i) },
  }));
}

/** `cudaLaunchKernel → k` … */
export function arrowsOf(timeline: Timeline): string[] {
  const events = eventsOf(timeline);
  const numbers = unpacked(timeline.arrows);
  const name = (i: number): string => events[numbers[i] ?? NaN]?.name ?? '?';
  return Array.from({ length: numbers.length / 2 }, (_, i) => `${name(2 * i)} → ${name(2 * i + 1)}`);
}

/** Values in the elements of a document, by their ids. */
function elementsIn(html: string): ReadonlyMap<string, unknown> {
  const found = html.matchAll(/<script type="application\/json" id="([^"]*)">(.*?)<\/script>/gs);
  return new Map([...found].map(([, id = '', json = '']) => [id, JSON.parse(json)]));
}

/** The data in a document. */
export const dataIn = (html: string): PageData => contentsIn(html).data;

/** The data and the timelines in a document. */
export function contentsIn(html: string): PageContents {
  const elements = elementsIn(html);
  const { opened: _, ...data } = elements.get(OUTLINE_ID) as PageOutline;
  const profiles = data.profiles.map((outline, at) => ({
    ...outline,
    ...(elements.get(detailsId(at)) as PageProfileDetails),
  }));
  const parts = [...elements].filter(([id]) => id.startsWith('timeline-'));
  return {
    data: { ...data, profiles },
    parts: parts.map(([id, value]) => ({ id, value: value as PagePart['value'] })),
  };
}

/** Of a profile or of records, as `dprof html` reads it. */
export async function pageContentsOfFile(path: string): Promise<PageContents> {
  const { name, batches, close } = await openSource(path, {}, { types: PAGE_TYPES });
  try {
    const records: ProfileLine[] = [];
    for await (const batch of batches) records.push(...batch);
    const { data, parts } = pageContentsOf(records);
    return { data: { ...data, title: name }, parts };
  } finally {
    close();
  }
}
