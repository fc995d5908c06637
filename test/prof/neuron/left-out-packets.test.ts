/** Packets that the vendor's tool leaves out: all of a queue that has one across the start or end of the execution. */
import { expect } from 'chai';
import { MetricSummaries } from '../../../src/prof/neuron/metric-summary.js';
import { packet, readTrace, type TraceOf } from '../../support/ntff.js';

const DMA = 4;
const [START, END] = [1, 5];

/** 10 us with packets of two queues of engine 3; of each its start and end, ps, and its bytes. */
const trace = (...packets: readonly (readonly [queue: number, start: number, end: number, bytes: number])[]): TraceOf => {
  const records = packets.flatMap(([queue, start, end, bytes]) => [
    { at: start, record: packet(start, START, 3, queue) },
    { at: end, record: packet(end, END, 3, queue, bytes) },
  ]);
  const inOrder = records.sort((a, b) => a.at - b.at).map(({ record }) => record);
  return { length: 10_000_000, sections: [{ kind: DMA, group: 1, records: inOrder }] };
}; // prettier-ignore

function metricsOf(of: TraceOf) {
  const { lines } = readTrace(of);
  const summaries = new MetricSummaries();
  for (const line of lines) summaries.take(line);
  const rows = summaries.all[0]?.rows ?? [];
  const row = (name: string) => rows.find((one) => one.name === name);
  return {
    packets: lines.filter(({ type }) => type === 'copy').length,
    values: ['static_dma_packet_count', 'static_dma_size', 'dma_active_time', 'total_active_time'].map((name) => row(name)?.value), // prettier-ignore
    leavesOut: row('static_dma_packet_count')?.leavesOut ?? null,
  };
}

describe('packets that the Neuron vendor leaves out', () => {
  it('are those of a queue with a packet across the start of the execution; records have the others', () => {
    const found = metricsOf(
      trace([1, -1_000_000, 1_000_000, 64], [1, 2_000_000, 4_000_000, 128], [2, 3_000_000, 6_000_000, 256]),
    );
    expect(found.packets).to.equal(2);
    // The packet of queue 2 alone: 256 B, 3 us.
    expect(found.values).to.deep.equal([1, 256, 3_000_000, 3_000_000]);
    expect(found.leavesOut).to.match(/^1 packet of 1 queue, 128 B: /);
  });

  it('or across its end', () => {
    const found = metricsOf(trace([1, 1_000_000, 2_000_000, 64], [1, 9_000_000, 11_000_000, 128], [2, 3_000_000, 6_000_000, 256])); // prettier-ignore
    expect(found.values).to.deep.equal([1, 256, 3_000_000, 3_000_000]);
  });

  it('are none where packets are within or wholly outside', () => {
    const found = metricsOf(trace([1, -3_000_000, -1_000_000, 64], [1, 2_000_000, 4_000_000, 128], [2, 3_000_000, 6_000_000, 256])); // prettier-ignore
    expect([found.packets, found.leavesOut]).to.deep.equal([2, null]);
    expect(found.values).to.deep.equal([2, 384, 4_000_000, 4_000_000]);
  });
});
