/**
 * Questions about profiles, with the calls that the page for agents names and the place of the answer. The right answer is a
 * figure that was computed from the file of the profiler, by `raw` again at each run, without code of the tools.
 */
import { basename } from 'node:path';
import { covered, csv, duration, events, json, span, sql, xplaneEvents, type TraceEvent } from './raw.js';

export interface Question {
  readonly ask: string;
  /** Paths in the checkout, or in ../shared. */
  readonly profiles: readonly string[];
  /** Whether it is asked in long runs alone: another question has its kind, and a smaller profile. */
  readonly isLong?: true;
  /**
   * Arguments of dprof for each call, without `-f json --max-chars`. A word in braces is a path in the document before.
   * @param paths of the profiles
   */
  readonly calls: (...paths: readonly string[]) => readonly (readonly string[])[];
  /** Where the answer is in the last document. */
  readonly read: string;
  readonly answer: unknown;
  /** Largest difference as a share of the answer; 0 when absent. */
  readonly within?: number;
  /** Why the profile cannot answer, and where one of the documents says so. */
  readonly reason?: { readonly read: string; readonly matches: RegExp };
  /** How the right answer was computed. */
  readonly how: string;
  readonly raw: (...paths: readonly string[]) => unknown;
}

const WORK = ['kernel', 'gpu_memcpy', 'gpu_memset'] as const;
const isNccl = ({ name }: { readonly name: string }): boolean => name.includes('nccl');

/** The text of the entry with the largest number. */
const largestOf = (entries: readonly (readonly [string | number, number])[]): string | number | undefined =>
  [...entries].sort((a, b) => b[1] - a[1])[0]?.[0];

const ranksOf = (folder: string): string[] => [0, 1, 2, 3].map((rank) => `${folder}/rank_${rank}.pt.trace.json.gz`);

/** Kernel time per step without collectives. */
const computeOf = (path: string): number => duration(events(path, 'kernel').filter((event) => !isNccl(event))) / 5;

export const SAMPLE_QUESTIONS: readonly Question[] = [
  {
    ask: 'For how long was the GPU idle?',
    profiles: ['samples/lenet.pt.trace.json.gz'],
    calls: (file) => [
      ['check', file],
      ['summary', file],
    ],
    read: '.answer[0].devices[0].idle',
    answer: 627_357,
    how: 'jq: first start to last end of the events kernel, gpu_memcpy, gpu_memset, minus the union of their intervals',
    raw: (file) => span(events(file, ...WORK)) - covered(events(file, ...WORK)),
  },
  {
    ask: 'Which rank of the job is late?',
    profiles: ['samples/job'],
    calls: (folder) => [
      ['check', folder],
      ['ranks', folder],
    ],
    read: '.answer[0].stragglers[0].rank',
    answer: 2,
    how: 'jq, per rank: sum of dur of kernels whose name does not contain nccl; the largest',
    raw: (folder) => largestOf(ranksOf(folder).map((path, rank) => [rank, computeOf(path)] as const)),
  },
  {
    ask: 'How much shorter would the first step be if that rank computed as fast as the others?',
    profiles: ['samples/job'],
    calls: (folder) => [
      ['ranks', folder],
      ['critical-path', '--step', '0', '--what-if', 'ranks: equal', folder],
    ],
    read: '.answer[0] | .time - .predicted',
    answer: 1_999_106,
    within: 0.05,
    how: 'jq: compute per step of rank 2 minus the median of all ranks; the job waits for rank 2 in each step',
    raw: (folder) => {
      const [, second = 0, third = 0, last = 0] = ranksOf(folder).map(computeOf).sort((a, b) => a - b); // prettier-ignore
      return last - (second + third) / 2;
    },
  },
  {
    ask: 'How many FLOPs does kernel 42 need?',
    profiles: ['samples/lenet.nsys.sqlite'],
    calls: (file) => [['--explain', '0:42', file]],
    read: '.answer[0].values[0].value',
    answer: 30_720_000,
    how: 'by hand: conv2d of [64,6,14,14] with [16,6,5,5] gives [64,16,10,10]; 2 · 64·16·10·10 · 6·5·5',
    raw: () => 2 * 64 * 16 * 10 * 10 * 6 * 5 * 5,
  },
  {
    ask: 'How long is the longest kernel of the op with the most kernel time?',
    profiles: ['samples/lenet.pt.trace.json.gz'],
    calls: (file) => [
      ['--by', 'op', '-c', 'op,total', '--sort', 'total', '--top', '1', file],
      ['--where', '{.answer[0].where}', '-c', 'idx,sil', '--sort', 'sil', '--top', '1', file],
    ],
    read: '.answer[0].sil',
    answer: 6813,
    how: 'jq: dur of the kernels whose External id is that of a cpu_op, by its name; the name with the largest sum',
    raw: (file) => {
      const names = new Map(events(file, 'cpu_op').map(({ args, name }) => [args?.['External id'], name]));
      const kernels = new Map<string | undefined, TraceEvent[]>();
      for (const kernel of events(file, 'kernel')) {
        const name = names.get(kernel.args?.['External id']);
        kernels.set(name, [...(kernels.get(name) ?? []), kernel]);
      }
      const [longest = []] = [...kernels.values()].sort((a, b) => duration(b) - duration(a));
      return Math.max(...longest.map((kernel) => duration([kernel])));
    },
  },
  {
    ask: 'Which op launched the kernel with the most time?',
    profiles: ['samples/matmul_kernel_trace.csv'],
    calls: (file) => [
      ['check', file],
      ['--by', 'kernel,op', '-c', 'kernel,op,total', '--sort', 'total', '--top', '1', file],
    ],
    read: '.answer[0].op',
    answer: null,
    reason: { read: '.cannot[].what', matches: /without op/ },
    how: 'awk: the header of the file has no column of an op, a range or a call',
    raw: (file) => Object.keys(csv(file)[0] ?? {}).find((name) => /op|range|api/i.test(name)) ?? null,
  },
  {
    ask: 'How much more kernel time does rank 2 take in a step than rank 0, collectives included?',
    profiles: ['samples/job/rank_0.pt.trace.json.gz', 'samples/job/rank_2.pt.trace.json.gz'],
    calls: (before, after) => [['diff', '--by', 'kernel', before, after]],
    read: '.answer[] | select(.row == "total") | .change_ns',
    answer: -1_573_688,
    how: 'jq: sum of dur of the kernels of each file, the difference divided by 5 steps',
    raw: (before, after) => (duration(events(after, 'kernel')) - duration(events(before, 'kernel'))) / 5,
  },
];

/** Questions about files of ../shared, which the repository does not have. */
export const PROFILE_QUESTIONS: readonly Question[] = [
  {
    ask: 'How many launches lack their kernel in the profile?',
    profiles: ['data/nsys/fsdp_2proc.sqlite'],
    calls: (file) => [['check', file]],
    read: '.answer[0].reasons[] | select(.check == "launch-without-work") | .count',
    answer: 20,
    how: 'SQL: rows of CUPTI_ACTIVITY_KIND_RUNTIME named %LaunchKernel% whose process and correlationId no kernel has',
    raw: (file) =>
      sql(
        file,
        `SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON s.id = r.nameId
         WHERE s.value LIKE '%LaunchKernel%' AND NOT EXISTS (SELECT 1 FROM CUPTI_ACTIVITY_KIND_KERNEL k
         WHERE k.correlationId = r.correlationId AND k.globalPid / 0x1000000 = r.globalTid / 0x1000000)`,
      ),
  },
  {
    ask: 'How much communication does compute not hide?',
    profiles: ['data/kineto/a100_nccl_metadata.json.gz'],
    calls: (file) => [
      ['check', file],
      ['summary', file],
    ],
    read: '.answer[0].devices[0].exposed',
    answer: 39_559_468,
    how: 'jq: union of all kernels minus the union of those without nccl in the name',
    raw: (file) => {
      const kernels = events(file, 'kernel');
      return covered(kernels) - covered(kernels.filter((kernel) => !isNccl(kernel)));
    },
  },
  {
    ask: 'For how long do compute and communication run at once?',
    profiles: ['data/kineto/a100_nccl_metadata.json.gz'],
    calls: (file) => [
      ['summary', file],
      ['steps', file],
    ],
    read: '.answer[] | select(.step == "all") | .overlapped',
    answer: 7_317_025,
    how: 'jq: union of the kernels with nccl in the name plus union of the others minus union of all',
    raw: (file) => {
      const kernels = events(file, 'kernel');
      const others = kernels.filter((kernel) => !isNccl(kernel));
      return covered(kernels.filter(isNccl)) + covered(others) - covered(kernels);
    },
  },
  {
    ask: 'How much time do the kernels with the name that takes most take?',
    profiles: ['data/kineto/h100_qwen.json.gz'],
    calls: (file) => [
      ['summary', file],
      ['--by', 'kernel', '-c', 'kernel,count,total', '--sort', 'total', '--top', '1', file],
    ],
    read: '.answer[0].total',
    answer: 14_994_502,
    how: 'jq: sum of dur of kernels by the word before < in the name; the largest',
    raw: (file) => {
      const sums = new Map<string, number>();
      for (const kernel of events(file, 'kernel')) {
        const name = /(\w+)[<(]/.exec(kernel.name)?.[1] ?? kernel.name;
        sums.set(name, (sums.get(name) ?? 0) + duration([kernel]));
      }
      return Math.max(...sums.values());
    },
  },
  {
    ask: 'For how long did the GPU run kernels?',
    profiles: ['data/kineto/cpu_only_torch_2_13.pt.trace.json.gz'],
    calls: (file) => [
      ['check', file],
      ['summary', file],
    ],
    read: '.answer[0].kernels',
    answer: null,
    reason: { read: '.answer[].reasons[].what', matches: /^the profile has no device work$/ },
    how: 'jq: no event of the categories kernel, gpu_memcpy, gpu_memset',
    raw: (file) => events(file, ...WORK)[0]?.dur ?? null,
  },
  {
    ask: 'What is the MFU?',
    profiles: ['data/nsys/many_kernels_no_nvtx.sqlite'],
    calls: (file) => [
      ['check', file],
      ['summary', file],
    ],
    read: '.answer[0].kernels.work.mfu',
    answer: null,
    reason: { read: '.answer[].reasons[].what', matches: /100\.0 % of kernel time has no op/ },
    how: 'SQL: there is no table NVTX_EVENTS, so no op and no shape',
    raw: (file) => sql(file, "SELECT name FROM sqlite_master WHERE name = 'NVTX_EVENTS'") ?? null,
  },
  {
    ask: 'What is the total duration of the kernels, those of graphs included?',
    profiles: ['data/amd/vllm_mi300.rpd.gz'],
    calls: (file) => [
      ['check', file],
      ['summary', file],
    ],
    read: '.answer[0].devices[0].kernelSum',
    answer: 407_137_675,
    how: "SQL: sum(end - start) of rocpd_op whose type is KernelExecution or Task (a graph's)",
    raw: (file) =>
      sql(
        file,
        `SELECT sum(o.end - o.start) FROM rocpd_op o JOIN rocpd_string s ON s.id = o.opType_id
         WHERE s.string IN ('KernelExecution', 'Task')`,
      ),
  },
  {
    ask: 'How long does the batched matrix product take on average?',
    profiles: ['data/amd/rocpd/bmm_mi300x_results.db'],
    calls: (file) => [
      ['check', file],
      ['--by', 'kernel', '-c', 'kernel,count,mean', '--sort', 'count', file],
    ],
    read: '.answer[] | select(.kernel == "batched_matrix_multiplication_matrix_core_128x128x16") | .mean',
    answer: 11_131.486666666666,
    within: 1e-12,
    how: "SQL: avg(end - start) of the view kernels, name LIKE '%batched_matrix%'",
    raw: (file) => sql(file, "SELECT avg(end - start) FROM kernels WHERE name LIKE '%batched_matrix%'"),
  },
  {
    ask: 'What share of the time was the tensor engine active?',
    profiles: ['data/neuron/trn2_baseline_bf16_s1024/baseline_exec_2.ntff'],
    calls: (file) => [
      ['summary', file],
      ['summary', '--vendor-metrics', '-m', 'tensor_engine_active_time_percent', file],
    ],
    read: '.answer[0].metrics.tensor_engine_active_time_percent.value',
    answer: 35.31297798847257,
    within: 1e-12,
    how: "jq: summary[0].tensor_engine_active_time_percent of the vendor's JSON of the same capture, times 100",
    raw: (file) => {
      const { summary } = json(file.replace('.ntff', '_profile_full.json.gz')) as {
        readonly summary: readonly { readonly tensor_engine_active_time_percent: number }[];
      };
      return 100 * (summary[0]?.tensor_engine_active_time_percent ?? NaN);
    },
  },
  {
    ask: 'What is the total duration of the XLA ops on TPU 1?',
    profiles: ['data/xplane/tpu_v6e_4.xplane.pb'],
    calls: (file) => [
      ['check', file],
      ['--by', 'device', '-c', 'device,count,total', file],
    ],
    read: '.answer[] | select(.device == 1) | .total',
    answer: 78_789_509_322,
    within: 1e-9,
    how: 'wire format: duration_ps of the events on the line XLA Ops of the plane /device:TPU:1',
    raw: (file) => xplaneEvents(file, /^\/device:TPU:1$/, /^XLA Ops$/).time,
  },
  {
    ask: 'How much memory was allocated at the peak?',
    profiles: ['data/ascend/text_level2_rank0'],
    calls: (folder) => [
      ['check', folder],
      ['memory', folder],
    ],
    read: '.answer[0].peak.bytes',
    answer: 1_322_299_392,
    how: 'awk: the largest Total Allocated(MB) of the component PTA+GE in memory_record.csv, times 1048576',
    raw: (folder) =>
      1048576 *
      Math.max(
        ...csv(`${folder}/ASCEND_PROFILER_OUTPUT/memory_record.csv`)
          .filter((row) => row['Component'] === 'PTA+GE')
          .map((row) => Number(row['Total Allocated(MB)'])),
      ),
  },
  {
    ask: 'Which device of the job has the most kernel time?',
    profiles: ['data/kineto/merged/hpc_training_4ranks.json.gz'],
    isLong: true,
    calls: (file) => [
      ['check', file],
      ['--by', 'device', '-c', 'device,total', '--sort', 'total', file],
    ],
    read: '.answer[0].device',
    answer: 2,
    how: 'jq: sum of dur of the kernels by args.device; the largest',
    raw: (file) => {
      const sums = new Map<number, number>();
      for (const kernel of events(file, 'kernel')) {
        const device = Number(kernel.args?.['device']);
        sums.set(device, (sums.get(device) ?? 0) + kernel.dur);
      }
      return largestOf([...sums]);
    },
  },
  {
    ask: 'Which kernel takes the most time?',
    profiles: ['data/amd/rocpd/transpose_w7800_api_only_results.db'],
    calls: (file) => [
      ['check', file],
      ['summary', file],
    ],
    read: '.answer[0].kernels',
    answer: null,
    reason: { read: '.doubts[].diagnostic', matches: /^work-not-recorded$/ },
    how: 'SQL: count(*) of rocpd_kernel_dispatch is 0',
    raw: (file) => sql(file, 'SELECT id FROM rocpd_kernel_dispatch LIMIT 1') ?? null,
  },
  {
    ask: 'Which kernel inside the CUDA graphs takes the most time?',
    profiles: ['data/nsys/cuda_graph_rtx3060.sqlite'],
    calls: (file) => [
      ['check', file],
      ['--where', 'graph!=na', '-c', 'kernel,graph,sil', '--sort', 'sil', file],
    ],
    read: '.answer',
    answer: [],
    reason: { read: '.answer[].reasons[].check', matches: /^graph-launch-opaque$/ },
    how: 'SQL: CUPTI_ACTIVITY_KIND_GRAPH_TRACE has 2 rows, and no kernel has a graphNodeId',
    raw: (file) =>
      [sql(file, 'SELECT shortName FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE graphNodeId IS NOT NULL') ?? []].flat(),
  },
];

/** A call as a user types it. */
export const typed = (args: readonly string[]): string =>
  ['dprof', ...args.map((word) => (word.includes('/') ? basename(word) : word))].join(' ');
