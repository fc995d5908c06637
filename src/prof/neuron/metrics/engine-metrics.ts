/**
 * Metrics of each engine: instructions, their time, and the time during which at least one ran on any core.
 *
 * Source: definitions in AWS Neuron's profile schema; that waits for semaphores are counted but take no time was
 * checked on captures of Trainium2, whose own tool gives the same numbers.
 */
import { NEURON_ENGINES } from '../../../record/neuron/engines.js';
import {
  activeTime,
  counted,
  measuredTime,
  measuredUnion,
  ratio,
  type MetricGroup,
  type Metric,
  type MetricSums,
} from '../metric.js';
import { IntervalSums } from '../metric-sums.js';

const TIMES = 'EVENT_SEMAPHORE left out';

function ofEngine(engine: string): Metric[] {
  const group = `${engine.toLowerCase()}_engine` as MetricGroup;
  const spans = (sums: MetricSums): IntervalSums => sums.engines.get(engine) ?? new IntervalSums();
  return [
    {
      name: `${group}_instruction_count`,
      group,
      unit: 'count',
      doc: `instructions that the ${engine} engines of all cores ran`,
      formula: `number of instructions of ${engine}`,
      of: (sums) => counted(sums, spans(sums).count),
      differs: 'the tool counts an instruction that it does not list',
    },
    {
      name: `${group}_instruction_time`,
      group,
      unit: 'ps',
      doc: `durations of the ${engine} engines' instructions added up, overlapping or not, waits for semaphores aside`,
      formula: `Σ duration of instructions of ${engine}, ${TIMES}`,
      of: (sums) => counted(sums, spans(sums).time),
      measured: (sums) => [measuredTime(spans(sums))],
    },
    {
      name: `${group}_active_time`,
      group,
      unit: 'ps',
      doc: `time during which the ${engine} engine of at least one core ran an instruction`,
      formula: `length of the union of instructions of ${engine} over all cores, ${TIMES}`,
      inputs: ['cores'],
      of: (sums) => activeTime(sums, spans(sums)),
      measured: (sums) => [measuredUnion(spans(sums))],
    },
    {
      name: `${group}_active_time_percent`,
      group,
      unit: 'fraction',
      doc: `share of the time during which a ${engine} engine ran an instruction`,
      formula: `${group}_active_time / total_time`,
      inputs: ['total_time', `${group}_active_time`],
      of: (sums) => ratio(activeTime(sums, spans(sums)), sums.totalPs, 'total_time'),
      measured: (sums) => [measuredUnion(spans(sums))],
    },
  ];
}

export const ENGINE_METRICS: readonly Metric[] = [
  ...NEURON_ENGINES.flatMap(ofEngine),
  {
    name: 'matmul_instruction_count',
    group: 'tensor_engine',
    unit: 'count',
    doc: 'matrix products that the tensor engines ran, transposes among them',
    formula: 'number of MATMUL instructions',
    of: (sums) => counted(sums, sums.matmul.count),
  },
  {
    name: 'activate_instruction_count',
    group: 'scalar_engine',
    unit: 'count',
    doc: 'activation functions that the scalar engines ran',
    formula: 'number of ACTIVATE and ACTIVATE_QUANTIZE instructions',
    of: (sums) => counted(sums, sums.activate.count),
  },
  {
    name: 'activate_instruction_time',
    group: 'scalar_engine',
    unit: 'ps',
    doc: 'durations of activation functions added up, overlapping or not',
    formula: 'Σ duration of ACTIVATE and ACTIVATE_QUANTIZE instructions',
    of: (sums) => counted(sums, sums.activate.time),
    measured: (sums) => [measuredTime(sums.activate)],
  },
];
