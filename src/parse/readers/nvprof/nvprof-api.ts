/** Names of the CUDA API calls in an nvprof database, which holds CUPTI's callback ids only. */
import { DRIVER_API } from '../cupti/cupti-driver-api.js';
import { RUNTIME_API } from '../cupti/cupti-runtime-api.js';

export type ApiDomain = 'runtime' | 'driver';

/** Names by id, from lines of an id and the names from that id on. */
function byId(table: string): readonly string[] {
  const names: string[] = [];
  for (const line of table.trim().split('\n')) {
    const [first, ...following] = line.split(' ');
    following.forEach((name, i) => (names[Number(first) + i] = name));
  }
  return names;
}

const NAMES: Readonly<Record<ApiDomain, readonly string[]>> = {
  runtime: byId(RUNTIME_API),
  driver: byId(DRIVER_API),
};

/** Name of an API call by callback id, without ABI suffixes: `cudaLaunchKernel`; `runtime cbid 999` when not known. */
export const apiName = (domain: ApiDomain, cbid: number): string => NAMES[domain][cbid] ?? `${domain} cbid ${cbid}`;
