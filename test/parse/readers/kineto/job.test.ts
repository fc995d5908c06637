import { expect } from 'chai';
import fc from 'fast-check';
import type { ProcessGroup } from '../../../../src/record/fields/collective.js';
import type { ProfileLine, ProfileRecord } from '../../../../src/record/record.js';
import { fileOf, ofType, rawTraceOf, recordsOf } from '../../../support/kineto.js';
import { kernel, op, read } from '../../../support/kineto-trace.js';
import { itShared } from '../../../support/shared.js';

const profileOf = (lines: readonly ProfileLine[]): ProfileRecord => lines[0] as ProfileRecord;
const job = (info: unknown, events = [kernel('k', 1, 5)]): Partial<ProfileRecord> =>
  profileOf(read(events, { header: `"distributedInfo": ${JSON.stringify(info)}` }));
const groupsOf = (configs: unknown): ProfileRecord['groups'] => job({ pg_config: configs }).groups;

const WORLD = { pg_name: '0', pg_desc: 'default_pg', backend_config: 'cuda:nccl', pg_size: 2, ranks: [0, 1] };
const READ: ProcessGroup = { name: '0', description: 'default_pg', size: 2, ranks: [0, 1] };

const reduction = (group: string, at: number, args: object = {}): string =>
  kernel('ncclDevKernel_AllReduce', at, at, {
    'Collective name': 'allreduce',
    'Group size': 2,
    'Process Group Name': group,
    'Process Group Ranks': '[0, 1]',
    ...args,
  });

describe('Kineto: the job', () => {
  it('rank, ranks and groups', () => {
    expect(job({ rank: 1, world_size: 2, pg_config: [WORLD] })).to.deep.include({
      rank: 1,
      worldSize: 2,
      groups: [READ],
    });
  });

  it('options of the profiler, as it states those that were given', () => {
    const factsOf = (header: string) => profileOf(read([kernel('k', 1, 5)], { header })).facts;
    expect(factsOf('"record_shapes": 1, "with_stack": true, "with_flops": 0, "another": 1')).to.deep.equal({
      record_shapes: 'true',
      with_stack: 'true',
      with_flops: 'false',
    });
    expect(factsOf('"another": 1')).to.equal(undefined);
  });

  it('of a trace that states none', () => {
    for (const info of [null, 5, 'x', [], {}, { world_size: '2', pg_config: {} }, { pg_config: [] }])
      expect(job(info)).to.not.have.any.keys('worldSize', 'groups', 'host');
  });

  const variations: [what: string, config: object, expected: object][] = [
    ['ranks as text', { ranks: '[0, 1]' }, {}],
    ['ranks that were cut', { ranks: '[0, 1, ...]' }, { ranks: null }],
    ['no ranks', { ranks: undefined }, { ranks: null }],
    ['a group without a description', { pg_desc: 'undefined' }, { description: null }],
    ['no size', { pg_size: 'two' }, { size: null }],
  ];
  for (const [what, config, expected] of variations)
    it(what, () => {
      expect(groupsOf([{ ...WORLD, ...config }])).to.deep.equal([{ ...READ, ...expected }]);
    });

  it('a group without a name is none, and one that is listed twice is one', () => {
    expect(groupsOf([{ ...WORLD, pg_name: '' }, 5, null, WORLD, WORLD])).to.deep.equal([READ]);
  });

  it('groups that only kernels name, in any order of the kernels', () => {
    const events = [
      reduction('7', 5, { 'Process Group Description': 'TENSOR' }),
      reduction('5', 20, { 'Process Group Ranks': '[0, ...]' }),
      reduction('0', 40),
    ];
    const expected = [
      READ,
      { name: '5', description: null, size: 2, ranks: null },
      { name: '7', description: 'TENSOR', size: 2, ranks: [0, 1] },
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(events, { minLength: 3 }), (order) => {
        expect(job({ pg_config: [WORLD] }, order).groups).to.deep.equal(expected);
      }),
    );
  });

  it('what the list of groups lacks, from kernels', () => {
    const listed = { ...WORLD, ranks: '[0, ...]' };
    expect(job({ pg_config: [listed] }, [reduction('0', 5)]).groups).to.deep.equal([READ]);
  });
});

describe('Kineto: the host', () => {
  const hostOf = (name: string): string | undefined => profileOf(read([op('aten::add', 1, 2)], { name })).host;

  it('in the name that PyTorch gives a trace for TensorBoard', () => {
    expect(hostOf('node_1.cluster_10.1700000000000.pt.trace.json')).to.equal('node_1.cluster');
    expect(hostOf('folder/n1_10.1700000000000000000.pt.trace.json.gz')).to.equal('n1');
  });

  it('not in another name, nor where the process is not in the trace', () => {
    for (const name of ['rank_3.1700000000000.pt.trace.json', 'n1_10.pt.trace.json', 'n1_10.1700000000000.json', '-'])
      expect(hostOf(name), name).to.equal(undefined);
  });
});

describe('Kineto: collectives of real traces', () => {
  for (const trace of ['a100_nccl_metadata', 'b200_rank0of8', 'a100_rank3of8_training'] as const)
    itShared(`${trace}: groups of the job, and of each kernel`, [fileOf(trace)], async () => {
      const [lines, raw] = [await recordsOf(trace), rawTraceOf(trace)];
      const info = (raw as { distributedInfo?: { world_size: number; pg_config?: { pg_name: string }[] } })
        .distributedInfo;
      const profile = profileOf(lines);
      expect(profile.worldSize).to.equal(info?.world_size);
      expect((profile.groups ?? []).map(({ name }) => name)).to.deep.equal(
        info?.pg_config?.map(({ pg_name }) => pg_name) ?? [],
      );
      const named = raw.traceEvents.filter(
        ({ cat, args }) => cat === 'kernel' && args?.['Collective name'] !== undefined,
      );
      const kernels = ofType(lines, 'kernel').filter(({ collective }) => collective !== undefined);
      expect(kernels.length).to.equal(named.length);
      const groups = new Map(profile.groups?.map((group) => [group.name, group]));
      for (const { collective } of kernels)
        expect(collective?.ranks).to.deep.equal(groups.get(collective?.group ?? '')?.ranks);
    });
});
