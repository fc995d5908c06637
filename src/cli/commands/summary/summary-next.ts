/** What to ask next: the command that shows more of a part of a summary. */
import type { DeviceTime, ProfileSummary } from '../../../prof/summary/summary-data.js';

const PLAIN = /^[\w@%+=:,./-]+$/;

/** A word of a shell's command. */
const quoted = (word: string): string => (PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** Gaps smaller than this part of the span are not worth a look. */
const SMALL = 0.05;

const TABLE = '--top 15 -f table';

export class Next {
  readonly #file: string;

  /** @param file undefined or '-' for stdin, whose name nobody knows */
  constructor(file: string | undefined) {
    this.#file = file === undefined || file === '-' ? 'FILE' : quoted(file);
  }

  #command(words: string): string {
    return `dprof ${words} ${this.#file}`;
  }

  /** What of idle time there is to see depends on what ended its gaps. */
  device({ gaps, idle, span, counts }: DeviceTime): string {
    const { host = 0, queue = 0 } = gaps ?? {};
    const canStep = counts.kernels + counts.communications + counts.graphs > 0;
    if (idle > SMALL * span && queue > host && counts.kernels > 0) {
      return this.#command(`-c idx,op,kernel,queue,sil --sort queue ${TABLE}`);
    }
    return this.#command(idle <= SMALL * span && canStep ? 'steps' : 'advise');
  }

  devices(): string {
    return this.#command('advise');
  }
  kernels(): string {
    return this.#command(`--by kernel ${TABLE}`);
  }
  arithmetic({ kernels }: ProfileSummary): string {
    if (kernels !== null && kernels.matrixUnit.unused > 0)
      return this.#command(`-c idx,op,kernel,dtype,tcwhy,sil --where 'tc==0' --sort sil ${TABLE}`);
    return this.#command(`--by bound,op,dtype,tc ${TABLE}`);
  }

  memory(): string {
    return this.#command('advise');
  }

  /** Operations that are no kernels are listed by steps only. */
  collectives({ devices, kernels, header }: ProfileSummary): string {
    const areKernels = kernels !== null && devices.some(({ counts }) => counts.communications > 0);
    if (!areKernels || header?.format.startsWith('ascend') === true) return this.#command('steps');
    return this.#command(`--by collective,group,kernel --where 'collective!=na || kernel~nccl' ${TABLE}`);
  }

  steps(): string {
    return this.#command('steps');
  }
  unattributed(): string {
    return this.#command(`-c idx,kernel,api,sil --where 'op==na' --sort sil ${TABLE}`);
  }
  metrics(): string {
    return this.#command('summary --vendor-metrics');
  }
  ranks(): string {
    return this.#command(`--by rank,kernel ${TABLE}`);
  }
}
