/** Ranks of the sample's job on one axis, against the trace that `dprof perfetto` writes of them. */
import { expect } from 'chai';
import { elementAt } from '../../../../src/containers/element.js';
import { isOnDevice, loadEvents, type TimelineEvents } from '../../../../src/page/timeline/events/events.js';
import { rankOf } from '../../../../src/page/timeline/events/coverage.js';
import { alignedPieces } from '../../../../src/page/timeline/pieces/aligned-pieces.js';
import { chosenRanks, pageRanks } from '../../../../src/page/timeline/pieces/page-ranks.js';
import { loadRanks } from '../../../../src/page/timeline/pieces/joined-ranks.js';
import type { PageContents } from '../../../../src/prof/html/page-data.js';
import { pieceOf } from '../../../support/pages.js';
import { runCli } from '../../../support/run-cli.js';
import { JOB_FILES as FILES, sampleJob } from '../../../support/sample-job.js';

interface TraceEvent {
  readonly ph: string;
  readonly name: string;
  readonly pid: number;
  readonly ts: number;
  readonly cat?: string;
  readonly args?: { readonly name?: string };
}

const rising = (times: readonly number[]): number[] => [...times].sort((a, b) => a - b);

/** Starts on devices by rank, ns. */
async function startsInTrace(): Promise<number[][]> {
  const { stdout } = await runCli('dprof', ['perfetto', '-q', '--align', 'job', '-f', 'chrome-json', ...FILES]);
  const { traceEvents } = JSON.parse(stdout) as { readonly traceEvents: readonly TraceEvent[] };
  const ranks = new Map<number, number>();
  for (const { name, pid, args } of traceEvents) {
    const rank = /^rank (\d+), device/.exec(args?.name ?? '')?.[1];
    if (name === 'process_name' && rank !== undefined) ranks.set(pid, Number(rank));
  }
  const starts = FILES.map((): number[] => []);
  for (const { ph, pid, ts } of traceEvents) {
    const rank = ranks.get(pid);
    if (ph === 'X' && rank !== undefined) starts[rank]?.push(1000 * ts);
  }
  return starts.map(rising);
}

async function joined({ data, parts }: PageContents, own: number, piece: number): Promise<TimelineEvents> {
  const ranks = chosenRanks(pageRanks(data), own, 'all');
  const rank = elementAt(ranks, own);
  const load = (profile: number, at: number) =>
    Promise.resolve(pieceOf(parts, profile, at) ?? expect.fail('not in the page'));
  const { events } = await loadRanks(alignedPieces(ranks, rank, piece), rank, piece, load, () => true);
  return events;
}

function startsIn(events: TimelineEvents): number[][] {
  const starts = FILES.map((): number[] => []);
  for (let event = 0; event < events.count; event++) {
    const rank = rankOf(events, event)?.profile ?? expect.fail('no rank');
    if (isOnDevice(events, event)) starts[rank]?.push(events.origin + elementAt(events.start, event));
  }
  return starts.map(rising);
}

describe('ranks of a job in one timeline', () => {
  let [page, trace]: [PageContents | null, number[][]] = [null, []];
  before(async () => {
    page = await sampleJob();
    trace = await startsInTrace();
  });

  /** Times against each other: the trace counts from another zero, in whole ns. */
  const sameAs = (starts: readonly (readonly number[])[], expected: readonly (readonly number[])[]): void => {
    const [zero, other] = [starts[0]?.[0] ?? NaN, expected[0]?.[0] ?? NaN];
    expect(starts.map(({ length }) => length)).to.deep.equal(expected.map(({ length }) => length));
    for (const [rank, of] of starts.entries())
      for (const [i, start] of of.entries())
        expect(start - zero, `rank ${rank}`).to.be.closeTo((expected[rank]?.[i] ?? NaN) - other, 2);
  };

  it('start when the trace of the aligned job says', async () => {
    sameAs(startsIn(await joined(page ?? expect.fail(), 0, 0)), trace);
  });

  it('have the times of the rank that they are shown beside', async () => {
    const contents = page ?? expect.fail();
    const events = await loadEvents(pieceOf(contents.parts, 2, 0) ?? expect.fail());
    const own = [...events.start].filter((_, event) => isOnDevice(events, event)).map((start) => events.origin + start);
    const [[, , inFirst = []], [, , inOwn = []]] = [
      startsIn(await joined(contents, 0, 0)),
      startsIn(await joined(contents, 2, 0)),
    ];
    expect(inOwn.map(Math.round)).to.deep.equal(own.map(Math.round));
    // Two clocks of computers differ by an offset, and by parts per million.
    expect(inFirst[0]).not.to.be.closeTo(inOwn[0] ?? NaN, 1000);
    expect((inFirst.at(-1) ?? NaN) - (inFirst[0] ?? NaN)).to.be.closeTo((own.at(-1) ?? NaN) - (own[0] ?? NaN), 50_000);
  });

  it('of one step have the events of that step of each rank', async () => {
    const contents = page ?? expect.fail();
    const { count, origin, span } = await joined(contents, 0, 3);
    const pieces = contents.data.profiles.map(({ timeline }) => timeline?.pieces[3]);
    expect(count).to.equal(pieces.reduce((sum, piece) => sum + (piece?.events ?? 0), 0));
    // Steps end with collectives on all ranks: what all take is little longer than what one does.
    const own = pieces[0] ?? expect.fail();
    expect(origin).to.be.at.most(own.start);
    expect(span).to.be.within(own.end - own.start, 1.02 * (own.end - own.start));
  });
});
