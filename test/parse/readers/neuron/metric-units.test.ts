import { expect } from 'chai';
import { unitOfMetric } from '../../../../src/parse/readers/neuron/profile-record.js';

describe('Neuron: units of metrics', () => {
  // By what the tool's own terminology says of each: fractions of 1, seconds, bytes.
  const units: readonly (readonly [metric: string, unit: string | null])[] = [
    ['mfu_estimated_percent', 'fraction'],
    ['dma_active_time_percent', 'fraction'],
    ['static_dma_size_percent', 'fraction'],
    ['total_time', 's'],
    ['throttle_active_nc0_time_ns', 'ns'],
    ['hbm_read_bytes', 'bytes'],
    ['dma_transfer_average_bytes', 'bytes'],
    ['static_dma_size', 'bytes'],
    ['ultraserver_size', 'count'],
    ['hardware_flops', 'FLOP'],
    ['dma_active_cycles', 'cycles'],
    ['neuroncore_cycle_count', 'cycles'],
    ['dma_queue_count', 'count'],
    ['mm_arithmetic_intensity', null],
    ['peak_flops_bandwidth_ratio', null],
    ['nc_idx', null],
    ['compiler_version', null],
    ['toString', null],
    ['', null],
  ];
  for (const [metric, unit] of units) {
    it(`${metric === '' ? 'no name' : metric}: ${unit ?? 'none'}`, () => {
      expect(unitOfMetric(metric)).to.equal(unit);
    });
  }
});
