/** What programs say of their instructions: from debug files, also damaged ones and such as are made to cost much. */
import { expect } from 'chai';
import fc from 'fast-check';
import { writeFileSync } from 'node:fs';
import { message, packed, varint, type Field } from '../../../../../samples/programs/wire.js';
import { DebugLayers } from '../../../../../src/parse/readers/neuron/neff/debug-records.js';
import { GraphInstructions, programRoom } from '../../../../../src/parse/readers/neuron/neff/graph-instructions.js';
import { readNeff } from '../../../../../src/parse/readers/neuron/neff/read-program.js';
import { Diagnostics } from '../../../../../src/record/diagnostics.js';
import { freshPath } from '../../../../support/fresh-path.js';
import { entriesOf, instructionsFile, neffBytes, rowsFile, type TarEntry } from '../../../../support/neff.js';

const TENSOR = 0;
const SCALAR = 1;

function graphOf(files: Readonly<Record<string, Buffer>>, room = programRoom()): GraphInstructions {
  const graph = new GraphInstructions('sg01', room, new DebugLayers());
  for (const [name, bytes] of Object.entries(files)) graph.takeMember(name, bytes);
  return graph;
}

const ROWS = 'debug_info_asm_PE.dbg';
const NAMES = 'debug_info_backend_PE.dbg';

describe('instructions of a program', () => {
  it('have names, and wait for all rows of the numbers that they depend on', () => {
    const graph = graphOf({
      [ROWS]: rowsFile([0, 190, 190, 191]),
      'debug_info_asm_Activation.dbg': rowsFile([300]),
      [NAMES]: instructionsFile([
        { number: 190, name: 'I-190' },
        // Twice the same, once in another kind, and a number of which no row is known.
        {
          number: 191,
          name: 'I-191',
          penguin: 47,
          ordered: [
            [190, 1],
            [190, 1],
          ],
          bySemaphore: [
            [300, 4],
            [300, 2],
            [999, 3],
          ],
        },
      ]),
      'debug_info_backend_Activation.dbg': instructionsFile([{ number: 300, name: 'exp', bySemaphore: [[191, 77]] }]),
    });
    expect(graph.instruction(TENSOR, 3)).to.deep.equal({
      id: 'sg01:PE:3',
      birId: 'sg0001:191',
      birName: 'I-191',
      penguinId: 'sg0001:47',
      type: null,
      ...{ op: null, layer: [], source: null, hloAttrs: null, kernelName: null },
      after: [
        { id: 'sg01:PE:1', kind: 'ordered' },
        { id: 'sg01:PE:2', kind: 'ordered' },
        { id: 'sg01:Activation:0', kind: 'flow' },
        { id: 'sg01:Activation:0', kind: 'anti' },
      ],
      hasMoreDependencies: false,
      isDamaged: false,
      transfer: null,
    });
    expect(graph.instruction(SCALAR, 0).after).to.deep.equal([{ id: 'sg01:PE:3', kind: 'unknown' }]);
    const nameless = { birId: null, birName: null, penguinId: null, after: [], isDamaged: false };
    expect(graph.instruction(TENSOR, 0)).to.deep.include({ id: 'sg01:PE:0', ...nameless });
    expect(graph.instruction(TENSOR, 12)).to.deep.include({ id: 'sg01:PE:12', ...nameless });
  });

  it('that transfer are kept as the compiler wrote them, others are not', () => {
    const transfer = Buffer.alloc(64, 7);
    transfer[0] = 0xd4;
    const graph = graphOf({ 'SP.bin': Buffer.concat([Buffer.alloc(64, 1), transfer, Buffer.alloc(63, 0xd4)]) });
    expect([0, 1, 2].map((row) => graph.instruction(4, row).transfer)).to.deep.equal([null, transfer, null]);
  });

  it('know variables by number, and by entry of the one table', () => {
    const graph = graphOf({});
    graph.takeVariables({ variables: new Map([[3, { name: 'x', memory: null }]]), table: [7, 3] });
    const name = (variable: number | null, entry: number | null): string | null =>
      graph.variableOf({ variable, entry })?.name ?? null;
    expect([name(3, null), name(null, 1), name(null, 0), name(null, 2), name(null, null)]).to.deep.equal([
      'x',
      'x',
      null,
      null,
      null,
    ]); // prettier-ignore
  });

  it('with a damaged record have no names, and say so', () => {
    // The name would be 200 bytes long.
    const broken: Field[] = [[3, Buffer.concat([varint(8), varint(190), varint(18), varint(200)])]];
    const graph = graphOf({ [ROWS]: rowsFile([190]), [NAMES]: message(broken) });
    expect(graph.instruction(TENSOR, 0)).to.deep.include({ birId: 'sg0001:190', birName: null, isDamaged: true });
  });

  it('with more dependencies than a line can have keep the first 4096', function () {
    this.timeout(20_000);
    const rows = Array.from({ length: 6000 }, (_, i) => i + 1);
    // A list of a million, of numbers and of kinds; and one number of 6000 rows.
    const many = message([
      [
        3,
        [
          [1, 1],
          [4, packed(Array.from({ length: 1e6 }, (_, i) => (i % 6000) + 1))],
          [9, packed(Array.from({ length: 1e6 }, () => 1))],
        ],
      ],
      [
        3,
        [
          [1, 6001],
          [4, packed([6001])],
          [9, packed([4])],
        ],
      ],
    ]);
    const graph = graphOf({
      [ROWS]: rowsFile(rows),
      'debug_info_asm_Activation.dbg': rowsFile(rows.map(() => 6001)),
      [NAMES]: many,
    });
    for (const { after, hasMoreDependencies } of [graph.instruction(TENSOR, 0), graph.instruction(SCALAR, 5)]) {
      expect(after).to.have.length(4096);
      expect(hasMoreDependencies).to.equal(true);
    }
  });

  it('of a file of 16 MB take no more than the room of the program', function () {
    this.timeout(60_000);
    // Eight million rows without a number.
    const rows = Buffer.alloc(16 * 1024 * 1024);
    for (let at = 0; at < rows.length; at += 2) rows[at] = 26;
    const room = programRoom();
    const graph = new GraphInstructions('sg00', room, new DebugLayers());
    expect(graph.takeMember(ROWS, rows)).to.equal(false);
    expect(graph.takeMember('debug_info_asm_DVE.dbg', rowsFile([5]))).to.equal(false);
    expect(new GraphInstructions('sg01', programRoom(), new DebugLayers()).takeMember(ROWS, rowsFile([5]))).to.equal(
      true,
    );
  });

  it('may have any number', () => {
    // 2^64 - 1: of such the low 32 bits count.
    const huge: Field[] = [
      [1, 2n ** 64n - 1n],
      [2, 'huge'],
    ];
    const graph = graphOf({
      [ROWS]: message([[3, [[3, 2 ** 32 - 1]]]]),
      [NAMES]: message([[3, huge]]),
    });
    expect(graph.instruction(TENSOR, 0)).to.deep.include({ birId: 'sg0001:4294967295', birName: 'huge' });
  });

  it('in damaged files are counted and never fail', () => {
    const files: readonly TarEntry[] = [
      { name: `sg00/${ROWS}`, data: rowsFile([0, 190]) },
      { name: `sg00/${NAMES}`, data: instructionsFile([{ number: 190, name: 'I-190', ordered: [[190, 1]] }]) },
    ];
    fc.assert(
      fc.property(fc.nat({ max: 1 }), fc.nat({ max: 200 }), fc.nat({ max: 255 }), fc.nat({ max: 200 }), (which, at, byte, cut) => {
        const entries = files.map((entry, i) => {
          if (i !== which) return entry;
          const bytes = Buffer.from(entry.data);
          bytes[at % bytes.length] = byte;
          return { ...entry, data: bytes.subarray(0, bytes.length - (cut % bytes.length)) };
        });
        const path = freshPath('.neff');
        writeFileSync(path, neffBytes([...entriesOf(), ...entries]));
        const diagnostics = new Diagnostics();
        const graph = readNeff(path, 'a.neff', diagnostics, true).graphs.get('sg00');
        for (const row of [0, 1, 2]) graph?.instruction(TENSOR, row);
        for (const name of Object.keys(diagnostics.toJSON())) expect(name).to.equal('program-part-broken');
      }),
      { numRuns: 50 },
    );
  }); // prettier-ignore
});
