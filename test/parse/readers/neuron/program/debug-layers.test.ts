/** Where instructions come from: lines of the kernel, the compiler's graph, the framework; from made files, laid out as real ones. */
import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { freshPath } from '../../../../support/fresh-path.js';
import {
  entriesOf,
  instructionsFile,
  layerFile,
  neffBytes,
  rowsFile,
  type DebugInstruction,
  type DebugTexts,
  type LayerRecord,
  type TarEntry,
} from '../../../../support/neff.js';
import { readNeff } from '../../../../../src/parse/readers/neuron/neff/read-program.js';
import type { CompiledInstruction } from '../../../../../src/parse/readers/neuron/neff/graph-instructions.js';
import { Diagnostics } from '../../../../../src/record/diagnostics.js';

const SCALAR = 1;

const layer = (name: string, ...contents: Parameters<typeof layerFile>): TarEntry => ({
  name: `debug_info/debug_info_${name}`,
  data: layerFile(...contents),
});

/** The only instruction of the Scalar engine. */
function instructionOf(
  entries: readonly TarEntry[],
  own: Partial<DebugInstruction> = {},
  texts: DebugTexts = {},
): CompiledInstruction {
  // prettier-ignore
  const path = freshPath('.neff');
  const files = [
    { name: 'sg00/debug_info_asm_Activation.dbg', data: rowsFile([7]) },
    {
      name: 'sg00/debug_info_backend_Activation.dbg',
      data: instructionsFile([{ number: 7, name: 'I-7', penguin: 120, ...own }], texts),
    },
  ];
  writeFileSync(path, neffBytes([...entries, ...entriesOf(), ...files]));
  const diagnostics = new Diagnostics();
  const graph = readNeff(path, 'a.neff', diagnostics, true).graphs.get('sg00');
  expect(diagnostics.toJSON()).to.deep.equal({});
  if (graph === undefined) throw new Error('no subgraph');
  return graph.instruction(SCALAR, 0);
}

const HLO: readonly LayerRecord[] = [
  // A module and a computation have no number, and neither has the first operation, which is 0.
  { name: 'my_matmul', parents: [1] },
  { name: '%x = parameter()', parents: [3], attributes: { op_type: '', source_file: '', source_line: '0' } },
  { number: 2, name: '%op0 = dot(%x, %y)', parents: [5], attributes: { op_type: 'aten__mm', source_file: '/src/model.py', source_line: '58' } }, // prettier-ignore
]; // prettier-ignore
const PTTF: readonly LayerRecord[] = [
  { number: 1, name: 'Unnamed' },
  { number: 3, name: '_x' },
  { number: 5, name: 'Llama[model]/Layer[0]/aten.mm' },
];
const above = (penguin: readonly LayerRecord[], texts: DebugTexts = {}): TarEntry[] => [
  layer('penguin.dbg_sg000000', 'debug_info_hlo.dbg', penguin, texts),
  layer('hlo.dbg_sg000000', 'debug_info_pttf.dbg', HLO),
  layer('pttf.dbg_sg000000', '', PTTF),
];

describe('layers of a program above its instructions', () => {
  it('name the operation, the layer and the line, each by the record of the layer below', () => {
    const entries = above(
      [{ number: 120, name: '$120', parents: [2], attributes: { kernel_file: '1', kernel_line: '41', kernel_name: '0' } }], // prettier-ignore
      { files: ['/src/other.py', '/src/attention.py'], functions: ['fused_attention'] },
    );
    expect(instructionOf(entries)).to.deep.include({
      penguinId: 'sg0000:120',
      op: '%op0 = dot(%x, %y)',
      layer: ['Llama[model]', 'Layer[0]', 'aten.mm'],
      source: '/src/attention.py:41',
      hloAttrs: '{"op_type":"aten__mm","source_file":"/src/model.py","source_line":"58"}',
      kernelName: 'fused_attention',
    });
  });

  it('give the nearest line: of the instruction, else of the kernel, else of the operation', () => {
    const own = instructionOf(
      above([{ number: 120, name: '$120', parents: [2], attributes: { kernel_file: '0', kernel_line: '41' } }], {
        files: ['/src/attention.py'],
      }),
      { attributes: { kernel_file: '0', kernel_line: '827', kernel_name: '0' } },
      { files: ['/src/unrolled.py'], functions: ['attend'] },
    );
    expect(own).to.deep.include({ source: '/src/unrolled.py:827', kernelName: 'attend' });
    expect(instructionOf(above([{ number: 120, name: '$120', parents: [2] }])).source).to.equal('/src/model.py:58');
  });

  it('are complete though the record of operation 0 has no number', () => {
    const ofParameter = instructionOf(above([{ number: 120, name: '$120', parents: [0] }]));
    expect(ofParameter).to.deep.include({ op: '%x = parameter()', layer: ['_x'], source: null, hloAttrs: null });
  });

  it('of several parents name the first that has a name', () => {
    const fused = instructionOf(above([{ number: 120, name: '$120', parents: [99, 2, 0] }]));
    expect(fused.op).to.equal('%op0 = dot(%x, %y)');
  });

  it('of a damaged file do not multiply: each record of the next layer is read once', () => {
    const many = (number: number): number[] => Array<number>(4096).fill(number);
    const entries = [
      layer('penguin.dbg_sg000000', 'debug_info_hlo.dbg', [{ number: 120, name: '$120', parents: many(2) }]),
      layer('hlo.dbg_sg000000', 'debug_info_pttf.dbg', [{ number: 2, name: '%op0', parents: many(5) }]),
      layer('pttf.dbg_sg000000', '', PTTF),
    ];
    // 4096 * 4096 records of the framework's operation would take minutes, and more memory than there is.
    expect(instructionOf(entries)).to.deep.include({ op: '%op0', layer: ['Llama[model]', 'Layer[0]', 'aten.mm'] });
  });

  it('that are not there, or do not name what a record numbers, leave names unknown', () => {
    const unknown = { op: null, layer: [], source: null, hloAttrs: null, kernelName: null };
    expect(instructionOf([])).to.deep.include(unknown);
    const outside = [{ number: 120, name: '$120', parents: [77], attributes: { kernel_file: '3', kernel_line: '5' } }];
    expect(instructionOf(above(outside, { files: ['/src/a.py'] }))).to.deep.include(unknown);
  });

  it('of several subgraphs are those of the number in the name of the file', () => {
    const kernel = (line: string): LayerRecord[] => [
      { number: 120, name: '$120', attributes: { kernel_file: '0', kernel_line: line } },
    ];
    const entries = ['000001', '000000'].map((subgraph) =>
      layer(`penguin.dbg_sg${subgraph}`, 'debug_info_hlo.dbg', kernel(subgraph.replace('00000', '1')), {
        files: ['k.py'],
      }),
    );
    expect(instructionOf(entries).source).to.equal('k.py:10');
  });

  it('and instructions say which of them spill', () => {
    expect([1, 2, 3].map((kind) => instructionOf([], { kind }).type)).to.deep.equal([null, 'SPILL', null]);
  });
});

describe('words of a program', () => {
  it('are read under the name with a 0, which newer compilers write', () => {
    const transfer = Buffer.alloc(64, 7);
    transfer[0] = 0xd4;
    const { transfer: read } = instructionOf([{ name: 'sg00/Activation0.bin', data: transfer }]);
    expect(read).to.deep.equal(transfer);
  });
});

describe('statistics of the compiler', () => {
  const factsOf = (statistics: unknown): unknown => {
    const path = freshPath('.neff');
    // Newer compilers write them last.
    const entries = [...entriesOf(), { name: 'hlo_stats.json', data: JSON.stringify(statistics) }];
    writeFileSync(path, neffBytes(entries));
    return readNeff(path, 'a.neff', new Diagnostics()).facts['hloMacs'];
  };

  it('give the multiply-accumulates of the model; 0 and -1 are none', () => {
    // 2,480,883,000 in a real program, of which the tool reports model_flops 4,961,766,000.
    expect(factsOf({ HloMacCount: 2480883000 })).to.equal(2480883000);
    expect([0, -1, '5', null].map((HloMacCount) => factsOf({ HloMacCount }))).to.deep.equal([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
