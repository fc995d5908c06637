/**
 * What a timeline draws of real traces is complete within its window, and what it says of a span is true: activities
 * and busy time are counted here from the records alone.
 */
import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { openSource } from '../../../../src/sources/sources.js';
import { PAGE_TYPES } from '../../../../src/prof/html/page-builder.js';
import type { Timeline, TimelinePiece, TimelineChoice } from '../../../../src/prof/html/timeline/timeline-data.js';
import { loadEvents } from '../../../../src/page/timeline/events/events.js';
import { selectionSums } from '../../../../src/page/timeline/model/selection-sums.js';
import type { ProfileLine } from '../../../../src/record/record.js';
import { eventsOf, pageContentsOf, pieceOf, shownFirst } from '../../../support/pages.js';
import { runs } from '../../../support/sets.js';
import { itEachShared, itShared, sharedFile } from '../../../support/shared.js';

const FOLDER = 'data/kineto';

/** Of longer traces only the usual timeline is made: each page of theirs takes seconds. */
const MOST_RECORDS = 5_000;

interface Work {
  readonly start: number;
  readonly end: number;
  readonly isWait: boolean;
}

async function recordsOf(path: string): Promise<ProfileLine[]> {
  const { batches, close } = await openSource(path, {}, { types: PAGE_TYPES });
  const records: ProfileLine[] = [];
  for await (const batch of batches) records.push(...batch);
  close();
  return records;
}

/** Activities of devices that have a time, by device. */
function worksOf(records: readonly ProfileLine[]): Map<number, Work[]> {
  const works = new Map<number, Work[]>();
  for (const record of records) {
    if (record.type === 'profile' || record.type === 'end' || !('device' in record) || !('dur' in record)) continue;
    const { device, start, dur } = record;
    if (device === null || start === null || dur === null || record.type === 'sample') continue;
    const list = works.get(device) ?? [];
    works.set(device, list);
    list.push({ start, end: start + dur, isWait: record.type === 'sync' });
  }
  return works;
}

/** Length of the union of what works within a window. */
function busyOf(works: readonly Work[], { start, end }: TimelinePiece): number {
  let [busy, reach] = [0, start];
  for (const work of works.filter(({ isWait }) => !isWait).toSorted((a, b) => a.start - b.start)) {
    const last = Math.min(work.end, end);
    busy += Math.max(0, last - Math.max(reach, work.start));
    reach = Math.max(reach, last);
  }
  return busy;
}

async function expectComplete(records: readonly ProfileLine[], choice: TimelineChoice, events: number): Promise<void> {
  const works = worksOf(records);
  const contents = pageContentsOf(records, { timeline: choice, events });
  const { pieces } = contents.data.profiles[0]?.timeline ?? expect.fail();
  for (const [at, piece] of pieces.entries()) {
    const timeline = pieceOf(contents.parts, 0, at);
    expect(timeline?.events ?? null).to.equal(piece.events);
    if (timeline !== null) await expectTrue(timeline, piece, works);
  }
}

/** Whether a piece has the activities of its time, each once, and sums what they do. */
async function expectTrue(timeline: Timeline, piece: TimelinePiece, works: Map<number, Work[]>): Promise<void> {
  const { start, end } = piece;
  const loaded = await loadEvents(timeline);
  expect(loaded.span).to.equal(Math.max(1, end - start));
  // The page clips a span that is dragged beyond the window.
  const { devices, deviceCount } = selectionSums(loaded, { from: -1e6, to: 2 * loaded.span, lanes: null });
  const all = [...works.values()].flat();
  const isInside = (work: Work): boolean =>
    work.start < end && (work.end > start || (work.end === work.start && work.start === start));
  if (end > start) expect(deviceCount).to.equal(all.filter(isInside).length);
  if (loaded.merged !== null) return;
  const found = new Map(devices.map(({ group, busy }) => [Number(/^device (\d+)/.exec(group)?.[1]), busy]));
  for (const [device, list] of works) expect(found.get(device) ?? 0).to.be.closeTo(busyOf(list, piece), 0.5);
}

/**
 * Inference with layers and frames, training on a rank with collectives and steps, calls that wait, a replayed graph, a
 * device without calls of the host, and a host without a device.
 */
const SAMPLED = [
  ...['h100_vit', 'ranks/sampled_rank-1', 'critical_path/event_sync_multi_stream', 'graphs/vllm_decode.replay'],
  ...['mi210_gpu_only', 'cpu_only_torch_2_13.pt.trace'],
].map((name) => join(FOLDER, `${name}.json.gz`));

/** Paths of all other traces within the shared folder. */
function others(): string[] {
  const folder = sharedFile(FOLDER);
  if (folder === null || !runs('long')) return [];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const paths = names.filter((name) => name.endsWith('.json.gz')).map((name) => join(FOLDER, name));
  return paths.filter((path) => !SAMPLED.includes(path));
}

const IN_STEPS = join(FOLDER, 'mi300_resnet_training.json.gz');

describe('timelines of real traces', () => {
  itEachShared(
    SAMPLED,
    others(),
    (name) => `are complete within their windows: ${basename(name)}`,
    async (path) => {
      const records = await recordsOf(path);
      await expectComplete(records, { of: 'usual' }, 200_000);
      if (records.length > MOST_RECORDS) return;
      await expectComplete(records, { of: 'usual' }, 700);
      await expectComplete(records, { of: 'time', from: 0, to: Infinity }, 1_000_000);
    },
  );

  /*
   * From the trace's JSON: step 16 begins with its annotation and ends with the last work that was launched within it,
   * 51,225.503 us later. 1,977 of 3,653 activities of the device run then, 51,018.847 us in union. Ranges that outlast
   * the step had made the axis a third longer than what was drawn.
   */
  itShared('end where the chosen step does', [IN_STEPS], async ([path = '']) => {
    const timeline = shownFirst(pageContentsOf(await recordsOf(path), { timeline: { of: 'step', step: 16 } }));
    expect(timeline.what).to.equal('step 16');
    const drawn = eventsOf(timeline).filter(({ lane }) => !lane.startsWith('thread'));
    expect(drawn).to.have.length(1977);
    const events = await loadEvents(timeline);
    expect(events.span).to.equal(51_225_503);
    const { devices } = selectionSums(events, { from: 0, to: events.span, lanes: null });
    expect(devices.map(({ busy }) => busy)).to.deep.equal([51_018_847]);
  });
});
