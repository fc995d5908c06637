/**
 * Peak rates of the links between devices of one machine, in one direction, by the names of the table of devices. Vendors
 * print both directions together: half of that is what a bus bandwidth is held against. Devices whose boards have several
 * forms (PCIe with or without bridges) have no entry.
 */
import { rowOf } from './device-row.js';

interface LinkRate {
  /** On names of the table of devices. */
  readonly pattern: RegExp;
  /** GB/s in one direction, of all links of the device together. */
  readonly rate: number;
  readonly source: string;
}

const LINKS: readonly LinkRate[] = [
  { pattern: /^V100 SXM2$/, rate: 150, source: 'NVIDIA V100 datasheet: NVLink 300 GB/s both ways' },
  { pattern: /^A100 SXM/, rate: 300, source: 'NVIDIA A100 datasheet: NVLink 600 GB/s both ways' },
  { pattern: /^(H100 SXM|H200)$/, rate: 450, source: 'NVIDIA H100 and H200 datasheets: NVLink 900 GB/s both ways' },
  { pattern: /^(B200|GB200, one GPU)$/, rate: 900, source: 'NVIDIA Blackwell datasheet: NVLink 1.8 TB/s both ways' },
  { pattern: /^MI3(00|25)X$/, rate: 448, source: 'AMD Instinct MI300X datasheet: 7 links of 128 GB/s both ways' },
];

/** Bytes per second in one direction between the device and others of its machine; null where no source states it. */
export function linkPeakOf(deviceName: string | null): number | null {
  const row = deviceName === null ? null : rowOf(deviceName, null);
  const link = row === null ? undefined : LINKS.find(({ pattern }) => pattern.test(row.name));
  return link === undefined ? null : link.rate * 1e9;
}
