/** Profiles whose events are accounted for: the samples, and real profiles where they are. */
import fg from 'fast-glob';
import { join } from 'node:path';

const SAMPLES = [
  'samples/*.{sqlite,sql,db,json,json.gz,ntff,jsonl,pb}',
  'samples/ascend_pt/*/trace_view.json',
  'samples/ascend_raw/PROF_*/host/info.json',
];
const SHARED = [
  ...['kineto/**/*.json.gz', 'nsys/*.sqlite', 'nvprof/*.{sql,nvvp}', 'pyprof/*.{sqlite,sql}'],
  ...[
    'ascend/*/*/ascend_pytorch_profiler_*.db',
    'ascend/*/*/trace_view.json',
    'ascend/text_qwen*/*/kernel_details.csv',
  ],
  ...[
    'neuron/**/*.{ntff,json,json.gz}',
    'xplane/*.pb',
    'made/*.{json,sqlite}',
    '{neuron,made}/*monitor*.jsonl',
    'made/ascend*/**/*.{db,json,csv}',
  ],
];

/** @param root folder of the checkout @returns their paths; without the real ones where ../shared is missing */
export const accountedProfiles = (root: string): string[] => [
  ...fg.sync(SAMPLES, { cwd: root, absolute: true }).sort(),
  ...fg.sync(SHARED, { cwd: join(root, '../shared/data'), absolute: true }).sort(),
];
