import { expect } from 'chai';
import type { RankClock } from '../../../src/prof/ranks/clocks/job-clocks.js';
import type { MatchedGroup } from '../../../src/prof/ranks/matching/match-group.js';
import { waitsOf, type OperationWaits } from '../../../src/prof/ranks/waits.js';
import { rankPart } from '../../support/rank-part.js';
import { runCli } from '../../support/run-cli.js';
import { itShared } from '../../support/shared.js';

describe('waits in an operation', () => {
  const [STARTS, ENDS] = [
    [0, 5, 1000],
    [10, 1200, 1205],
  ];

  /** Three ranks that join at 0, 5 and 1000 ns and end at 10, 1200 and 1205 ns. */
  function waitsIn(kind: string, bound: number): Pick<OperationWaits, 'waits' | 'causes' | 'unsure' | 'behind'>[] {
    const clock: RankClock = {
      ...{ source: 'operations', against: 0, shift: 0, offset: 0, drift: 0, at: 0 },
      ...{ residual: 0, bound, operations: 3 },
    };
    const parts = STARTS.map((start, rank) => {
      const made = rankPart(rank, []);
      return { ...made, operations: { ...made.operations, start: [start], dur: [(ENDS[rank] ?? 0) - start] } };
    });
    const group = { members: [{ part: 0 }, { part: 1 }, { part: 2 }], pair: null, size: 3 };
    const operations = [{ at: [0, 0, 0], signature: { kind, bytes: 4 } }];
    const found = waitsOf({ group, operations } as unknown as MatchedGroup, parts, [clock, clock, clock]);
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
