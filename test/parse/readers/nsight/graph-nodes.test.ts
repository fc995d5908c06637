import { expect } from 'chai';
import fc from 'fast-check';
import { writeFileSync } from 'node:fs';
import { A100 } from '../../../../samples/programs/gpu.js';
import { transformer } from '../../../../samples/programs/transformer-run.js';
import { nsightDatabase } from '../../../../samples/programs/write-nsight.js';
import type { KernelRecord } from '../../../../src/record/record.js';
import { freshPath } from '../../../support/fresh-path.js';
import { globalPid, globalTid, NsightDatabase, PID } from '../../../support/nsight-database.js';
import { diagnosticsOf, kernelsOf } from '../../../support/profile-records.js';

type Table = 'CUDA_GRAPH_NODE_EVENTS' | 'CUDA_GRAPH_EVENTS';

/** A node added at a time by a thread, within `layer:L` from 100 to 200 and `layer:M` from 300 to 400. */
class Graphs {
  readonly database = new NsightDatabase().range('layer:L', 100, 200).range('layer:M', 300, 400);

  constructor(private readonly table: Table = 'CUDA_GRAPH_NODE_EVENTS') {}

  node(id: number | bigint, start: number, original: number | bigint | null, pid = PID): this {
    const [end, thread] = [start + 1, globalTid(undefined, pid)];
    const cells = { start, end, globalTid: thread, graphNodeId: id, originalGraphNodeId: original };
    this.database.row(this.table, { ...cells, nameId: this.database.string('cudaGraphNode') });
    return this;
  }

  /** One launch of these nodes; `step` around it. */
  replay(nodes: readonly (number | bigint)[], at = 1000, corr = 9, pid = PID): this {
    this.database.range('layer:replay', at - 5, at + 20, { globalTid: globalTid(undefined, pid) });
    this.database.call({ start: at, end: at + 10 }, corr, { globalTid: globalTid(undefined, pid) }, 'cudaGraphLaunch_v10000'); // prettier-ignore
    nodes.forEach((graphNodeId, i) => {
      const span = { start: at + 50 + 10 * i, end: at + 55 + 10 * i };
      this.database.kernel(span, corr, { graphNodeId, graphId: 4, globalPid: globalPid(pid) });
    });
    return this;
  }

  kernels(): KernelRecord[] {
    return kernelsOf(this.database.write());
  }
}

const layers = (kernels: readonly KernelRecord[]): unknown[] => kernels.map(({ layer, graph }) => [layer[0], graph?.from]); // prettier-ignore

describe('nodes of CUDA graphs in an Nsight Systems export', () => {
  for (const table of ['CUDA_GRAPH_NODE_EVENTS', 'CUDA_GRAPH_EVENTS'] as const) {
    it(`have the ranges that were open when they were captured: ${table}`, () => {
      const graphs = new Graphs(table).node(1, 110, null).node(2, 310, null).node(11, 500, 1).node(12, 501, 2);
      const kernels = graphs.replay([11, 12]).kernels();
      expect(layers(kernels)).to.deep.equal([['L', 'node'], ['M', 'node']]); // prettier-ignore
      expect(kernels.map(({ graph }) => graph)).to.deep.equal([
        { id: 4, node: 11, from: 'node', verified: true },
        { id: 4, node: 12, from: 'node', verified: true },
      ]);
      expect(kernels.map(({ launch }) => launch?.api)).to.deep.equal(['cudaGraphLaunch', 'cudaGraphLaunch']);
    });
  }

  it('are followed through copies of copies, and not in circles', () => {
    const copied = new Graphs().node(1, 110, null).node(2, 500, 1).node(3, 600, 2).node(8, 700, 9).node(9, 701, 8);
    expect(layers(copied.replay([3, 8]).kernels())).to.deep.equal([['L', 'node'], ['replay', undefined]]); // prettier-ignore
  });

  it('are no copies where 0 stands for no original, and unknown where no column states originals', () => {
    const graphs = new Graphs().node(1, 110, 0).node(11, 310, 1).replay([11]);
    expect(layers(graphs.kernels())).to.deep.equal([['L', 'node']]); // prettier-ignore
    const path = graphs.database.write({ without: { CUDA_GRAPH_NODE_EVENTS: ['originalGraphNodeId'] } });
    expect(layers(kernelsOf(path))).to.deep.equal([['replay', undefined]]); // prettier-ignore
  });

  it('are unknown where a double does not hold their ids exactly', () => {
    const id = (node: number): bigint => 2n ** 62n + BigInt(node);
    const graphs = new Graphs().node(id(1), 110, null).node(id(2), 310, null).node(id(11), 500, id(1)).node(id(12), 501, id(2)); // prettier-ignore
    const kernels = graphs.replay([id(11), id(12)]).kernels();
    expect(kernels.map(({ layer, graph }) => [layer[0], graph])).to.deep.equal([['replay', { id: 4, node: null }], ['replay', { id: 4, node: null }]]); // prettier-ignore
  });

  it('are those of their process', () => {
    const other = PID + 1;
    const graphs = new Graphs().node(1, 110, null).node(11, 500, 1).node(1, 310, null, other).node(11, 500, 1, other);
    graphs.database.range('layer:other', 300, 400, { globalTid: globalTid(undefined, other) });
    expect(layers(graphs.replay([11]).replay([11], 2000, 10, other).kernels())).to.deep.equal([['L', 'node'], ['other', 'node']]); // prettier-ignore
  });

  it('keep what is around their launch where they were captured before the profile began', () => {
    const graphs = new Graphs().node(1, 110, null).node(11, 500, 1).node(12, 501, 77).replay([11, 12, 13]);
    expect(layers(graphs.kernels())).to.deep.equal([['L', 'node'], ['replay', undefined], ['replay', undefined]]); // prettier-ignore
    expect(diagnosticsOf(graphs.database.write())).to.include({
      'graph-work-with-origin': 1,
      'graph-kernel-by-launch': 2,
    });
  });

  it('are known where the launch of their graph is not in the profile', () => {
    const graphs = new Graphs().node(1, 110, null).node(11, 500, 1);
    graphs.database.kernel({ start: 900, end: 910 }, 5, { graphNodeId: 11, graphId: 4, globalPid: globalPid() });
    const [kernel] = graphs.kernels();
    expect([kernel?.layer, kernel?.launch, kernel?.graph?.from]).to.deep.equal([['L'], null, 'node']);
  });

  it('are found whatever the order of rows', () => {
    const nodes = [[1, 110, null], [2, 310, null], [3, 120, null], [11, 500, 1], [12, 501, 2], [13, 502, 3]] as const; // prettier-ignore
    const read = (rows: readonly (typeof nodes)[number][]): unknown[] => {
      const graphs = new Graphs();
      for (const [id, start, original] of rows) graphs.node(id, start, original);
      return layers(graphs.replay([11, 12, 13]).kernels());
    };
    const expected = read(nodes);
    fc.assert(
      fc.property(fc.shuffledSubarray([...nodes], { minLength: nodes.length }), (rows) => {
        expect(read(rows)).to.deep.equal(expected);
      }),
      { numRuns: 10 },
    );
  });

  it('of the sample have the op and modules that its program captured', () => {
    const path = freshPath('.sqlite');
    writeFileSync(path, nsightDatabase(transformer({ gpu: A100, processesAndGraphs: true })));
    const replayed = kernelsOf(path).filter(({ graph }) => graph !== undefined);
    const captured = [['linear', 'mlp:fc1'], ['gelu', 'mlp'], ['linear', 'mlp:fc2']]; // prettier-ignore
    expect(replayed.map(({ op, layer }) => [op.join(), layer.join(':')])).to.deep.equal([...captured, ...captured]);
  });
});
