/** Pages' data as a test wants it: from records, or out of a document; timelines unpacked by zlib, not by the page. */
import { inflateRawSync } from 'node:zlib';
import { openSource } from '../../src/cli/input.js';
import type { PageData, PageProfile } from '../../src/prof/html/page-data.js';
import type { PackedColumn, PackedTimeline, PagePart } from '../../src/prof/html/timeline/timeline-data.js';
import type { Timeline, TimelineColumn, TimelineTables } from '../../src/prof/html/timeline/timeline-data.js';
import { EVENT_KINDS, timelineId } from '../../src/prof/html/timeline/timeline-data.js';
import { PageBuilder, PAGE_TYPES, type PageContents, type PageOptions } from '../../src/prof/html/page-builder.js';
import { joinPiece } from '../../src/page/timeline/pieces/joined-piece.js';
import { Annotator } from '../../src/prof/report/report.js';
import type { ProfileLine } from '../../src/record/record.js';

const USUAL: PageOptions = { timeline: { of: 'usual' }, events: 2_000_000 };

export function pageContentsOf(records: Iterable<ProfileLine>, options: Partial<PageOptions> = {}): PageContents {
  const [annotator, pages] = [new Annotator(), new PageBuilder({ ...USUAL, ...options })];
  for (const record of records) pages.take(record, annotator.take(record));
  pages.finish(annotator.rest());
  return pages.contents({ tool: { name: 'dprof', version: '0' }, title: 'test', input: 'test' });
}

export const pageDataOf = (records: Iterable<ProfileLine>, options: Partial<PageOptions> = {}): PageData =>
  pageContentsOf(records, options).data;

/** A piece of a profile, by its place; null where the page does not hold it. */
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

/** An event with its texts. */
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

/** The data in a document's own element. */
export function dataIn(html: string): PageData {
  const found = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html)?.[1];
  if (found === undefined) throw new Error('no data in the page');
  return JSON.parse(found) as PageData;
}

/** The data and the other elements of a document. */
export function contentsIn(html: string): PageContents {
  const found = html.matchAll(/<script type="application\/json" id="(timeline-[^"]*)">(.*?)<\/script>/gs);
  const parts = [...found].map(([, id = '', json = '']) => ({ id, value: JSON.parse(json) as PagePart['value'] }));
  return { data: dataIn(html), parts };
}

/** Of a profile or of records, as `dprof html` reads it. */
export async function pageContentsOfFile(path: string): Promise<PageContents> {
  const { name, batches, close } = await openSource(
    path,
    { at: () => undefined, clear: () => undefined },
    { types: PAGE_TYPES },
  );
  try {
    const records: ProfileLine[] = [];
    for await (const batch of batches) records.push(...batch);
    const { data, parts } = pageContentsOf(records);
    return { data: { ...data, title: name }, parts };
  } finally {
    close();
  }
}
