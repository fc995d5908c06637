import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import type { KernelRecord } from '../../src/record/record.js';
import { parseLiteral, type PythonDict } from '../../src/record/python/python-literal.js';
import { kernelsOf } from '../support/profile-records.js';
import { globalPid, globalTid, NsightDatabase } from '../support/nsight-database.js';
import { itShared } from '../support/shared.js';

/** The fields that the reference's answers hold, by our names and by PyProf's. */
const FIELDS = {
  dir: 'dir', op: 'op', mod: 'mod', seqMarker: 'seqMarker', seq: 'seqId', altSeq: 'altSeqId', sub: 'subSeqId',
  layer: 'layer', trace: 'trace', tid: 'tid',
} as const; // prettier-ignore
type Field = keyof typeof FIELDS;
type Facts = Readonly<Partial<Record<Field, unknown>>>;

interface Rule {
  /** Title in the reference's file. */
  readonly title: string;
  /** Ranges around one launch, outermost first, or a database. */
  readonly input: readonly string[] | (() => NsightDatabase);
  /** What we say, where the reference says something else or fails; a list for several kernels. */
  readonly ours?: Facts | readonly Facts[];
  /** Why. */
  readonly because?: string;
  /** Whose answer; PyProf2's when not given. */
  readonly of?: 'nvidia';
}

const MM =
  "{'mod': 'torch', 'op': 'mm', 'args': [{'name': '', 'type': 'tensor', 'shape': (4, 4), 'dtype': 'float32'}]}";
const TRACE = "{'traceMarker': ['a.py:1']}";
const CALL = { start: 100, end: 110 };
const KERNEL = { start: 120, end: 130 };
const NOTHING = { op: [], mod: ['na'], seqMarker: [], seq: [], altSeq: [], sub: 0, layer: [], trace: [], tid: 1234 };
const PLAIN = { ...NOTHING, dir: 'fprop', op: ['mm'], mod: ['torch'] };
const KNOWN_SUFFIX = 'the text of PyTorch 1.11 and later is read';
const bare = (): NsightDatabase => new NsightDatabase().call(CALL, 1).kernel(KERNEL, 1);

const RULES: readonly Rule[] = [
  { title: 'plain mm', input: [TRACE, MM, 'mm, seq = 5'] },
  { title: 'aten:: names', input: [TRACE, MM, 'aten::mm, seq = 5'] },
  {
    title: 'op_id suffix, one seq marker',
    input: [TRACE, MM, 'aten::mm, seq = 5, op_id = 12'],
    ours: { ...PLAIN, trace: ['a.py:1'], seqMarker: ['aten::mm, seq = 5, op_id = 12'], seq: [5] },
    because: KNOWN_SUFFIX,
  },
  {
    title: 'op_id suffix, two seq markers',
    input: [TRACE, MM, 'aten::linear, seq = 5, op_id = 11', 'aten::mm, seq = 5, op_id = 12'],
    ours: {
      ...{ ...PLAIN, trace: ['a.py:1'], seq: [5] },
      seqMarker: ['aten::linear, seq = 5, op_id = 11', 'aten::mm, seq = 5, op_id = 12'],
    },
    because: KNOWN_SUFFIX,
  },
  { title: 'op_id only (seq -1)', input: [TRACE, MM, 'aten::mm, op_id = 12'] },
  {
    title: 'sizes suffix',
    input: [TRACE, MM, 'mm, seq = 5, sizes = [[4, 4], [4, 4]]'],
    ours: { ...PLAIN, trace: ['a.py:1'], seqMarker: ['mm, seq = 5, sizes = [[4, 4], [4, 4]]'], seq: [5] },
    because: KNOWN_SUFFIX,
  },
  {
    title: 'Backward0',
    input: ['AddmmBackward0, seq = 5', 'mm, seq = 0'],
    ours: { op: ['Addmm'], mod: ['na'] },
    because: 'a numbered node is cleaned like one without number, and the ops inside it do not name the kernel',
  },
  {
    title: 'Backward1',
    input: ['MeanBackward1, seq = 5', 'div, seq = 0'],
    ours: { dir: 'bprop', op: ['Mean'], mod: ['na'] },
    because: 'nodes of overloads, Backward1 and up, are backward too',
  },
  { title: '_backward only', input: ['cudnn_convolution_backward, seq = 7'] },
  {
    title: 'Backward + _backward different seq',
    input: ['CudnnConvolutionBackward, seq = 5', 'cudnn_convolution_backward, seq = 9'],
  },
  {
    title: 'evaluate_function',
    input: ['autograd::engine::evaluate_function: AddmmBackward0', 'AddmmBackward0, seq = 5', 'aten::mm, seq = 0'],
    ours: { op: ['Addmm'], mod: ['na'] },
    because: 'as Backward0; the wrapper has no number and adds nothing',
  },
  {
    title: 'torch::autograd::AccumulateGrad',
    input: ['torch::autograd::AccumulateGrad, seq = 12'],
    ours: { dir: 'bprop', op: ['AccumulateGrad'] },
    because: 'gradients are added up in the backward pass',
  },
  {
    title: 'torch::jit::(anonymous namespace)::DifferentiableGraphBackward',
    input: ['torch::jit::(anonymous namespace)::DifferentiableGraphBackward, seq = 3'],
  },
  {
    title: 'CheckpointFunctionBackward outer',
    input: ['CheckpointFunctionBackward, seq = 9', TRACE, MM, 'mm, seq = 5'],
  },
  {
    title: 'layer with second colon + nested',
    input: ['layer:a:b', 'layer: enc 1', 'my player: x', MM],
    ours: { layer: ['a:b', ' enc 1'] },
    because: 'a layer is recognised by the start of the text, and keeps its colons',
  },
  {
    title: 'two trace markers',
    input: [TRACE, "{'traceMarker': ['a.py:1', 'b.py:2', '/x/torch/_tensor.py:9', '/x/torch/tensor.py:9']}", MM],
    ours: { trace: ['a.py:1', 'b.py:2'] },
    because: 'torch/_tensor.py is torch/tensor.py under its newer name',
  },
  { title: 'multi seq fprop', input: [MM, 'linear, seq = 3', 't, seq = 3', 'addmm, seq = 4'] },
  {
    title: '4 seq ids (removal while iterating)',
    input: [MM, 'a, seq = 3', 'b, seq = 4', 'c, seq = 5', 'd, seq = 6'],
    ours: { seq: [3], altSeq: [4, 5, 6] },
    because: 'the chosen id alone is kept; the reference removes from the list that it walks',
  },
  {
    title: 'seq sort is textual',
    input: [MM, 'a, seq = 10', 'b, seq = 10', 'b, seq = 9'],
    ours: { seqMarker: ['b, seq = 9', 'a, seq = 10', 'b, seq = 10'] },
    because: 'numbers are sorted as numbers',
  },
  { title: '0 and nonzero', input: ['a, seq = 0', 'b, seq = 4'] },
  {
    title: 'launch shares start with marker (strict <)',
    input: () => bare().range(MM, CALL.start, 200),
    ours: { op: ['mm'], mod: ['torch'] },
    because: 'boundaries are inclusive',
  },
  {
    title: 'marker ends exactly at launch end',
    input: () => bare().range(MM, 50, CALL.end),
    ours: { op: ['mm'], mod: ['torch'] },
    because: 'boundaries are inclusive',
  },
  {
    title: 'marker on other thread',
    input: () => bare().range(MM, 50, 200, { globalTid: globalTid(99) }),
    ours: { dir: null },
    because: 'nothing states a direction',
  },
  {
    title: 'user text with words mod/op/args/type',
    input: ['this mod op takes args of any type'],
    ours: { ...NOTHING, dir: null, op: [] },
    because: 'texts are never evaluated, and a range of the program is no op',
  },
  {
    title: 'other markers only',
    input: ['foo'],
    ours: { dir: null, op: [] },
    because: 'nothing states a direction or an op',
  },
  {
    title: 'two kernels same op, same seq',
    input: () =>
      bare().range(MM, 50, 400).range('mm, seq = 5', 51, 399).call({ start: 200, end: 210 }, 2).kernel({ start: 220, end: 230 }, 2), // prettier-ignore
  },
  {
    title: 'duplicate runtime corr id',
    of: 'nvidia',
    input: () =>
      bare().range(MM, 50, 200).range('mm, seq = 5', 51, 199).call({ start: 102, end: 108 }, 1, { globalTid: globalTid(99) }), // prettier-ignore
    ours: [{}],
    because: 'a kernel has one launch: the first of the rows',
  },
  {
    title: 'dup corr id, other process',
    of: 'nvidia',
    input: () =>
      bare().range(MM, 50, 200).range('mm, seq = 5', 51, 199).call({ start: 102, end: 108 }, 1, { globalTid: globalTid(99, 77) }), // prettier-ignore
  },
  {
    title: 'no runtime row',
    input: () => new NsightDatabase().kernel(KERNEL, 1).range(MM, 50, 200),
    ours: { ...NOTHING, dir: null, tid: null },
    because: 'the kernel is kept and counted',
  },
  {
    title: 'kernel end == start',
    input: () => new NsightDatabase().call(CALL, 1).range(MM, 50, 200).kernel({ start: 120, end: 120 }, 1),
    ours: PLAIN,
    because: 'a duration of 0 is a duration',
  },
  {
    title: 'kernel before launch (clock skew)',
    input: () => new NsightDatabase().call(CALL, 1).range(MM, 50, 200).kernel({ start: 90, end: 95 }, 1),
  },
  {
    title: 'no NVTX table',
    input: bare,
    ours: { ...NOTHING, dir: null },
    because: 'a table that is missing has no rows',
  },
];

/** Answers by title: facts of each kernel, or null where the reference fails. */
function readAnswers(path: string): Map<string, Record<string, Facts[] | null>> {
  const answers = new Map<string, Record<string, Facts[] | null>>();
  for (const part of readFileSync(path, 'utf8').split(/^## /m).slice(1)) {
    const [title = '', ...lines] = part.trimEnd().split('\n');
    const read = (line: string): Facts[] | null => {
      if (line.includes(' ERR ')) return null;
      const kernels = parseLiteral(line.slice(line.indexOf('['))) as readonly PythonDict[];
      return kernels.map((kernel) => factsOf((field) => kernel[FIELDS[field]]));
    };
    answers.set(
      title,
      Object.fromEntries(lines.map((line) => [line.trim().split(' ', 1).join(), read(line)] as const)),
    );
  }
  return answers;
}

const factsOf = (of: (field: Field) => unknown): Facts =>
  Object.fromEntries((Object.keys(FIELDS) as Field[]).map((field) => [field, of(field)]));

const parse = ({ input }: Rule): KernelRecord[] =>
  kernelsOf((typeof input === 'function' ? input() : new NsightDatabase().launch(1, input)).write());

describe('marker rules', () => {
  for (const rule of RULES) {
    const because = rule.because === undefined ? '' : ` — not as PyProf: ${rule.because}`;
    itShared(`${rule.title}${because}`, ['data/pyprof/marker_rules.txt'], ([path = '']) => {
      const reference = readAnswers(path).get(rule.title)?.[rule.of ?? 'pyprof2'];
      if (reference === undefined) throw new Error('no such rule in the reference');
      const list = Array.isArray(rule.ours);
      const ours = (list ? rule.ours : [rule.ours ?? {}]) as readonly Facts[];
      const kernels = parse(rule);
      expect(kernels).to.have.length(list ? ours.length : (reference?.length ?? 1));
      for (const [i, kernel] of kernels.entries()) {
        const answer = { ...reference?.[i], ...ours[list ? i : 0] };
        expect(factsOf((field) => kernel[field])).to.deep.equal(answer);
      }
    });
  }

  itShared('are all of the reference', ['data/pyprof/marker_rules.txt'], ([path = '']) => {
    expect(RULES.map(({ title }) => title)).to.have.members([...readAnswers(path).keys()]);
  });

  it('differ from the reference only where it is said why', () => {
    for (const { title, ours, because } of RULES) expect(ours === undefined, title).to.equal(because === undefined);
  });

  it('take registered strings, which PyProf fails on', () => {
    const db = bare();
    db.range(null, 50, 200, { textId: db.string(MM) });
    expect(kernelsOf(db.write())[0]).to.deep.include({ op: ['mm'], mod: ['torch'], dir: 'fprop' });
  });

  it('need the same process, where two have threads of one number', () => {
    const db = bare().range(MM, 50, 200, { globalTid: globalTid(1234, 77) });
    expect(kernelsOf(db.write())[0]).to.deep.include({ op: [], dir: null });
    const machines = new NsightDatabase().call(CALL, 1).kernel(KERNEL, 1, { globalPid: globalPid(1000, 2n << 48n) });
    expect(kernelsOf(machines.write())[0]).to.deep.include({ launch: null });
  });
});
