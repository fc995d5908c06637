import { expect } from 'chai';
import type { RankClock } from '../../../src/prof/ranks/clocks/job-clocks.js';
import type { MatchedGroup } from '../../../src/prof/ranks/matching/match-group.js';
import { waitsOf, type OperationWaits } from '../../../src/prof/ranks/waits.js';
import { Noise } from '../../support/noise.js';
import { rankPart } from '../../support/rank-part.js';
import { runCli } from '../../support/run-cli.js';
import { itShared } from '../../support/shared.js';

describe('waits in an operation', () => {
  const STARTS: readonly number[] = [0, 5, 1000];
  const ENDS: readonly number[] = [10, 1200, 1205];

  /** Ranks that join and end at these times in ns. */
  function waitsIn(
    kind: string,
    bound: number,
    starts = STARTS,
    ends = ENDS,
  ): Pick<OperationWaits, 'waits' | 'causes' | 'unsure' | 'behind'>[] {
    const clock: RankClock = {
      ...{ source: 'operations', against: 0, shift: 0, offset: 0, drift: 0, at: 0 },
      ...{ residual: 0, bound, operations: 3 },
    };
    const parts = starts.map((start, rank) => {
      const made = rankPart(rank, []);
      return { ...made, operations: { ...made.operations, start: [start], dur: [(ends[rank] ?? 0) - start] } };
    });
    const group = { members: parts.map((_, part) => ({ part })), pair: null, size: parts.length };
    const operations = [{ at: parts.map(() => 0), signature: { kind, bytes: 4 } }];
    const found = waitsOf(
      { group, operations } as unknown as MatchedGroup,
      parts,
      parts.map(() => clock),
    );
    return [...found].map(({ waits, causes, unsure, behind }) => ({ waits, causes, unsure, behind }));
  }

  it('last until the last rank joins', () => {
    const expected = { waits: [1000, 995, 0], causes: [2, 2, 2], unsure: [0, 0, 0], behind: 995 };
    expect(waitsIn('all-reduce', 0)).to.deep.equal([expected]);
  });

  it('last no longer than its part where a rank can end before others join', () => {
    // The root ends after 10 ns, when only the second rank has joined.
    const expected = { waits: [5, 995, 0], causes: [1, 2, 2], unsure: [0, 0, 0], behind: 995 };
    expect(waitsIn('broadcast', 0)).to.deep.equal([expected]);
    expect(waitsIn('broadcast', 989)).to.deep.equal([{ ...expected, unsure: [5, 0, 0] }]);
    // With clocks that may be 990 ns apart, the last rank may have joined before the root ended.
    expect(waitsIn('broadcast', 990)).to.deep.equal([{ ...expected, waits: [1000, 995, 0], causes: [2, 2, 2] }]);
  });

  it('are those of the last rank to join before the end, for any times', () => {
    const noise = new Noise(7);
    const below = (most: number): number => Math.floor(noise.uniform() * most);
    for (let run = 0; run < 300; run++) {
      const starts = Array.from({ length: 2 + below(6) }, () => below(8));
      const ends = starts.map((start) => start + below(8));
      const [found] = waitsIn('broadcast', 0, starts, ends);
      const expected = starts.map(
        (start, rank) => Math.max(...starts.filter((other) => other <= (ends[rank] ?? 0))) - start,
      );
      expect(found?.waits, JSON.stringify([starts, ends])).to.deep.equal(expected);
      expect(found?.causes.map((cause, rank) => (starts[cause] ?? NaN) - (starts[rank] ?? NaN))).to.deep.equal(
        expected,
      );
    }
  });

  itShared('of a rank are no longer than its operations', ['data/kineto/merged/hpc_training_4ranks.json.gz'], async ([path = '']) => {
    const table = async (query: string): Promise<string[]> =>
      (await runCli('dprof', ['sql', '-q', '-f', 'csv', query, path])).stdout.trim().split('\n').slice(1);
    // Six broadcasts of the root, and its longer operations.
    expect(await table('SELECT count(*) FROM wait WHERE wait > "end" - joined')).to.deep.equal(['0']);
    const { stdout } = await runCli('dprof', ['ranks', '-q', '-f', 'csv', '-c', 'rank,waited', path]);
    // 76.935 ms until the last rank joined, less 15.989 ms after the root's parts of broadcasts had ended.
    expect(stdout.trim().split('\n').slice(1, 2)).to.deep.equal(['0,60946390']);
  }); // prettier-ignore
});
