/** Matches in pieces that are not shown: none is missed, and none is counted twice. */
import { expect } from 'chai';
import { join } from 'node:path';
import type { ProfileLine } from '../../../../src/record/record.js';
import type { PageTimeline } from '../../../../src/prof/html/timeline/timeline-data.js';
import { loadEvents, type TimelineEvents } from '../../../../src/page/timeline/events/events.js';
import { search } from '../../../../src/page/timeline/model/search.js';
import { OtherMatches, otherMatchesText } from '../../../../src/page/timeline/pieces/other-matches.js';
import { othersOf, searchedFor, WHOLE } from '../../../../src/page/timeline/pieces/page-ranks.js';
import { kernel } from '../../../support/kernels.js';
import { pageContentsOf, pageContentsOfFile, piecesOf } from '../../../support/pages.js';
import { ROOT } from '../../../support/shared.js';

/** Steps whose device work ends in the next one: of step s the kernels `k-s` and `mm`. */
const STEPS: readonly ProfileLine[] = [1, 2, 3, 4].flatMap((step) =>
  [0, 1].map((i) =>
    kernel({
      ...{ id: 2 * step + i, name: i === 0 ? `k-${step}` : 'mm', step, dur: 400, tid: 100, pid: 10 },
      ...{ start: 1000 * step + 600 + 450 * i, launch: { api: 'launch', start: 1000 * step + 10 * i, dur: 5 } },
    }),
  ),
);

interface Loaded {
  readonly timeline: PageTimeline;
  readonly pieces: readonly (TimelineEvents | null)[];
}

async function loaded(contents: ReturnType<typeof pageContentsOf>): Promise<Loaded> {
  const timeline = contents.data.profiles[0]?.timeline ?? expect.fail();
  const [packed = []] = piecesOf(contents);
  const load = async (piece: (typeof packed)[number]) => (piece === null ? null : loadEvents(piece));
  return { timeline, pieces: await Promise.all(packed.map(load)) };
}

const countIn = (events: TimelineEvents | null | undefined, query: string): number =>
  events === null || events === undefined ? 0 : (search(events, query)?.list.length ?? 0);

function others({ timeline, pieces }: Loaded, shown: number, query: string, from: readonly number[]): OtherMatches {
  const found = new OtherMatches(timeline, shown);
  for (const at of from) found.add(at, pieces[at] ?? expect.fail(), query);
  return found;
}

function expectAllFound(page: Loaded, query: string): void {
  const { timeline, pieces } = page;
  const all = countIn(pieces[WHOLE], query);
  for (const shown of pieces.keys()) {
    const ways = [searchedFor(timeline, shown, true), othersOf(timeline, shown).filter((at) => at !== WHOLE)];
    for (const from of shown === WHOLE ? ways.slice(0, 1) : ways) {
      const found = others(page, shown, query, from);
      expect(countIn(pieces[shown], query) + found.count, `${query} in ${shown} by ${from.join()}`).to.equal(all);
      for (const { piece, start, dur } of found.list) {
        const { start: begin, end } = timeline.pieces[piece] ?? expect.fail();
        expect(start <= end && start + dur >= begin).to.equal(true);
      }
    }
  }
}

describe('matches in pieces that are not shown', () => {
  it('are all that the shown one does not have, each once', async () => {
    const page = await loaded(pageContentsOf(STEPS));
    for (const query of ['mm', 'name==mm', 'step==2', 'launch', 'nowhere', 'dur>0']) expectAllFound(page, query);
  });

  it('of a sample too', async () => {
    const page = await loaded(await pageContentsOfFile(join(ROOT, 'samples', 'lenet.pt.trace.json.gz')));
    for (const query of ['kind==kernel', 'op==mm', 'aten', 'step>0']) expectAllFound(page, query);
  });

  it('are in the piece of their step, though they run in the next one too', async () => {
    const page = await loaded(pageContentsOf(STEPS));
    const { timeline } = page;
    const step = (number: number): number => timeline.pieces.findIndex(({ name }) => name === `step ${number}`);
    const found = others(page, step(1), 'name==mm', [WHOLE]);
    expect(found.list.map(({ piece }) => timeline.pieces[piece]?.name)).to.deep.equal(['step 2', 'step 3', 'step 4']);
    expect(otherMatchesText(timeline, found)).to.equal('3 in 3 other steps');
    expect(otherMatchesText(timeline, others(page, step(1), 'name==k-4', [WHOLE]))).to.equal('1 in step 4');
    expect(otherMatchesText(timeline, others(page, step(1), 'name==k-1', [WHOLE]))).to.equal(null);
  });
});
