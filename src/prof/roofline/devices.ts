/**
 * Peak rates of devices, dense (without sparsity), with the sources of the figures.
 *
 * Vendors print sparse figures, which are twice as high, next to the dense ones or instead of them, and several public
 * tables have copied them. Every row below is dense. GeForce parts accumulate FP16 products in FP32 at half their rate.
 */
import type { MathType } from '../../ops/kernels/matrix-unit.js';

/**
 * Rates in FLOP/s (operations per second for int8); a fused multiply-add counts as 2. Types whose rate is unknown are
 * absent.
 */
export type Rates = Readonly<Partial<Record<MathType, number>>>;

/** Peak rates of a device: FLOP/s by dtype and unit, bytes/s of its memory, with their source. */
export interface PeakRates {
  /** Name for display and for --peaks. */
  readonly name: string;
  /** Source of the figures, as text. */
  readonly source: string;
  /** Architecture as profiles state it: 'sm80', 'gfx942'; null if unknown. */
  readonly arch: string | null;
  /** Memory bandwidth in bytes/s; null in the table when only profiles have it. */
  readonly bytesPerS: number | null;
  /** Size in bytes of the cache that all units share; null when no source gives it. */
  readonly cacheBytes: number | null;
  /** Dense rates of the vector units (CUDA cores, stream processors); unknown types are absent. */
  readonly vector: Rates;
  /** Dense rates of the matrix unit (tensor cores, matrix cores). */
  readonly matrix: Rates;
  /** Rate of the matrix unit for FP16 products accumulated in FP16, if that is faster; FLOP/s. */
  readonly halfSums?: number;
}

/** A device of the table of peak rates. */
export interface DeviceRow extends PeakRates {
  /** Names that drivers give the device. */
  readonly pattern: RegExp;
  /** Minimum and maximum memory in bytes, if boards with the same name differ by it. */
  readonly memory?: readonly [least: number, most: number];
  readonly arch: string;
  /** How to recognise a record of this part without a name; absent when other parts have the same values. */
  readonly unnamed?: { readonly units: number; readonly memory: readonly [least: number, most: number] };
}

/** Rates as vendors print them, in TFLOP/s. */
type Tera = Rates;

const TERA = 1e12;
const GIGA = 1e9;
const MIB = 1024 ** 2;
export const GIB = 1024 ** 3;

const scaled = (rates: Tera): Rates =>
  Object.fromEntries(Object.entries(rates).map(([type, rate]) => [type, rate * TERA]));

interface Printed {
  readonly arch: string;
  /** Unit: GB/s. */
  readonly bandwidth: number | null;
  /** Unit: MiB. */
  readonly cache?: number;
  /** Unit: GiB. */
  readonly memory?: readonly [number, number];
  /** Number of units, then minimum and maximum memory in GiB. */
  readonly unnamed?: readonly [units: number, least: number, most: number];
  readonly vector?: Tera;
  readonly matrix: Tera;
  readonly halfSums?: number;
}

const inGib = (least: number, most: number): readonly [number, number] => [least * GIB, most * GIB];

const row = (name: string, pattern: RegExp, printed: Printed, source: string): DeviceRow => ({
  name,
  pattern,
  ...(printed.memory === undefined ? {} : { memory: inGib(...printed.memory) }),
  ...(printed.unnamed === undefined ? {} : { unnamed: unnamed(...printed.unnamed) }),
  arch: printed.arch,
  bytesPerS: printed.bandwidth === null ? null : Math.round(printed.bandwidth * GIGA),
  cacheBytes: printed.cache === undefined ? null : printed.cache * MIB,
  vector: scaled(printed.vector ?? {}),
  matrix: scaled(printed.matrix),
  ...(printed.halfSums === undefined ? {} : { halfSums: printed.halfSums * TERA }),
  source,
});

const unnamed = (units: number, least: number, most: number): NonNullable<DeviceRow['unnamed']> => ({
  units,
  memory: inGib(least, most),
});

/** Both 16-bit types with one rate. */
const both = (rate: number): Tera => ({ fp16: rate, bf16: rate });

const V100_SOURCE =
  'NVIDIA V100 datasheet; FP16 of the vector units: twice FP32 (CUDA C++ Programming Guide, arithmetic throughput)';
const OTHER_TOOLS = 'verl flops_counter.py; LLMRoofline hardware_dict.py';
const HALVED = '(halved, because it states sparse figures)';

const A100 = {
  arch: 'sm80',
  cache: 40,
  vector: { fp64: 9.7, fp32: 19.5, fp16: 78, bf16: 39 },
  matrix: { fp64: 19.5, tf32: 156, ...both(312), int8: 624 },
};
const A100_SOURCE = 'NVIDIA A100 whitepaper and datasheet; cache: device records';

const H100_SXM = {
  arch: 'sm90',
  vector: { fp64: 34, fp32: 67 },
  matrix: { fp64: 67, tf32: 494.5, ...both(989), fp8: 1979, int8: 1979 },
};
const H100_PCIE = {
  arch: 'sm90',
  cache: 50,
  vector: { fp32: 51 },
  matrix: { fp64: 51, tf32: 378, ...both(756), fp8: 1513, int8: 1513 },
};
const H100_SOURCE = `NVIDIA H100 datasheet ${HALVED}; cache: NVIDIA on Hopper`;

/** CDNA 2, by number of compute units at 1.7 GHz. The second die of a board is a separate device. */
const cdna2 = (fp16: number): Pick<Printed, 'arch' | 'bandwidth' | 'vector' | 'matrix'> => ({
  arch: 'gfx90a',
  bandwidth: 1638,
  // Packed FP32 has twice the rate of FP64.
  vector: { fp64: fp16 / 8, fp32: fp16 / 4 },
  matrix: { fp64: fp16 / 4, fp32: fp16 / 4, ...both(fp16), int8: fp16 },
});

const MI300X = {
  arch: 'gfx942',
  cache: 256,
  vector: { fp64: 81.7, fp32: 163.4 },
  matrix: { fp64: 163.4, fp32: 163.4, tf32: 653.7, ...both(1307.4), fp8: 2614.9, int8: 2614.9 },
};
const MI300X_SOURCE = 'AMD Instinct MI300X datasheet, as in PyTorch device_info.py; cache: AMD on Infinity Cache';

interface Radeon {
  readonly arch: string;
  /** FP16 rate of the vector units in TFLOP/s, twice their FP32 rate; null when no source gives it. */
  readonly fp16: number | null;
  /** Source of the FP16 rate; the hardware catalogue of Hugging Face when absent. */
  readonly from?: string;
  readonly bandwidth: number;
  readonly cache: number;
  readonly memory?: readonly [number, number];
}

/** The matrix unit of RDNA 3 multiplies FP16 and INT8 at the FP16 rate of the vector units; RDNA 4 doubles and adds FP8. */
function radeon(name: string, pattern: RegExp, { fp16, from, ...printed }: Radeon): DeviceRow {
  const source = 'bandwidth: AMD, product specifications; cache: AMD, GPU hardware specifications (ROCm)';
  if (fp16 === null) return row(name, pattern, { ...printed, matrix: {} }, `no source gives its rates; ${source}`);
  const matrix = printed.arch.startsWith('gfx12')
    ? { ...both(2 * fp16), fp8: 4 * fp16, int8: 4 * fp16 }
    : { ...both(fp16), int8: fp16 };
  return row(
    name,
    pattern,
    { ...printed, vector: { fp32: fp16 / 2, fp16 }, matrix },
    `${from ?? 'Hugging Face, hardware catalogue'}; matrix unit: AMD GPUOpen, matrix cores of RDNA 4; ${source}`,
  );
}

const XE_HPC = 'Intel, Xe HPC at Architecture Day 2021: operations per clock per core';

/**
 * Cubes of 16 x 16 x 16 multiply-adds: number of cores and GHz from CANN's runtime for the part; 8192 FLOP per clock and
 * core for FP16, twice as many for INT8, half for HF32 and a quarter for FP32 if the cube supports these.
 */
function cubes(cores: number, ghz: number, isNew: boolean): Tera {
  const fp16 = (cores * ghz * 8192) / 1000;
  return isNew ? { fp32: fp16 / 4, tf32: fp16 / 2, ...both(fp16), int8: 2 * fp16 } : { fp16, int8: 2 * fp16 };
}

const ascend910b = (name: string, pattern: RegExp, cores: number, ghz: number, cache: number): DeviceRow =>
  row(
    name,
    pattern,
    { arch: 'ascend910b', bandwidth: null, cache, matrix: cubes(cores, ghz, true) },
    `platform configuration of CANN's runtime: ${cores} cubes x ${ghz} GHz x 8192; HF32, FP32: half and a quarter, as counters show it`,
  );

const tpu = (name: string, pattern: RegExp, printed: Printed, note = ''): DeviceRow =>
  row(name, pattern, printed, `Google, Cloud TPU documentation, key specifications of the chip${note}`);

/** The first match wins. A slice of a device (MIG) matches none of these limits. */
export const DEVICES: readonly DeviceRow[] = [
  row(
    'V100 SXM2',
    /V100-(SXM|DGX)/,
    { arch: 'sm70', bandwidth: 900, cache: 6, vector: { fp64: 7.8, fp32: 15.7, fp16: 31.4 }, matrix: { fp16: 125 } },
    V100_SOURCE,
  ),
  row(
    'V100 PCIe',
    /V100-PCIE/,
    { arch: 'sm70', bandwidth: 900, cache: 6, vector: { fp64: 7, fp32: 14, fp16: 28 }, matrix: { fp16: 112 } },
    V100_SOURCE,
  ),
  row(
    'T4',
    /\bT4\b/,
    { arch: 'sm75', bandwidth: 320, vector: { fp32: 8.1 }, matrix: { fp16: 65, int8: 130 } },
    'NVIDIA T4 datasheet',
  ),
  row('A100 PCIe 80GB', /A100 80GB PCIe|A100-PCIE-80GB/, { ...A100, bandwidth: 1935 }, A100_SOURCE),
  row('A100 SXM 80GB', /A100-(SXM|PG)/, { ...A100, bandwidth: 2039, memory: [60, 90] }, A100_SOURCE),
  row('A100 40GB', /A100-(SXM|PCIE|PG)/, { ...A100, bandwidth: 1555, memory: [30, 45] }, A100_SOURCE),
  row('A800', /\bA800\b/, { arch: 'sm80', bandwidth: null, matrix: both(312) }, 'verl flops_counter.py'),
  row(
    'A30',
    /\bA30\b/,
    { arch: 'sm80', bandwidth: 933, matrix: both(165) },
    'LLMRoofline hardware_dict.py, after the NVIDIA A30 datasheet',
  ),
  row(
    'A10',
    /\bA10\b/,
    { arch: 'sm86', bandwidth: 600, vector: { fp32: 31.2 }, matrix: both(125) },
    'Lightning throughput.py, after the NVIDIA A10 datasheet; FP16 checked: 72 SM x 1.695 GHz x 1024',
  ),
  row('A40', /\bA40\b/, { arch: 'sm86', bandwidth: null, matrix: both(149.7) }, 'verl flops_counter.py'),
  row(
    'L4',
    /\bL4\b/,
    {
      arch: 'sm89',
      bandwidth: 300,
      vector: { fp32: 30.3 },
      matrix: { tf32: 60, ...both(121), fp8: 242.5, int8: 242.5 },
    },
    `NVIDIA L4 datasheet ${HALVED}; FP16 checked: 58 SM x 2.04 GHz x 1024`,
  ),
  row(
    'L40S',
    /\bL40S\b/,
    { arch: 'sm89', bandwidth: 864, vector: { fp32: 91.6 }, matrix: { tf32: 183, ...both(362), fp8: 733, int8: 733 } },
    'NVIDIA L40S datasheet; FP16 checked: 142 SM x 2.49 GHz x 1024',
  ),
  row('L40', /\bL40\b/, { arch: 'sm89', bandwidth: 864, matrix: both(181) }, OTHER_TOOLS),
  row('L20', /\bL20\b/, { arch: 'sm89', bandwidth: 864, matrix: both(119.5) }, OTHER_TOOLS),
  row('H100 PCIe', /H100 PCIe/i, { ...H100_PCIE, bandwidth: 2039 }, H100_SOURCE),
  row(
    'H100 NVL',
    /H100 NVL/,
    { arch: 'sm90', cache: 50, bandwidth: 3900, matrix: both(835) },
    'torchtitan, after the NVIDIA H100 NVL datasheet',
  ),
  row('H100 SXM', /\bH100 (80GB HBM3|SXM)/, { ...H100_SXM, cache: 50, bandwidth: 3350 }, H100_SOURCE),
  row('H800', /\bH800\b/, { arch: 'sm90', bandwidth: 3350, matrix: both(989) }, OTHER_TOOLS),
  row('H20', /\bH20\b/, { arch: 'sm90', bandwidth: 4000, matrix: both(148) }, OTHER_TOOLS),
  row(
    'H200',
    /\bH200(?! NVL)\b/,
    { ...H100_SXM, cache: 60, bandwidth: 4800 },
    `NVIDIA H200 datasheet ${HALVED}; cache: device records`,
  ),
  row(
    'GH200 144GB',
    /\bGH200 144G/,
    { ...H100_SXM, bandwidth: 4900 },
    `NVIDIA GH200 datasheet ${HALVED}: computes as H100 SXM; HBM3e`,
  ),
  row(
    'GH200 96GB',
    // The driver's name contains the memory size of the CPU.
    /\bGH200 480GB/,
    { ...H100_SXM, bandwidth: 4000 },
    `NVIDIA GH200 datasheet ${HALVED}: computes as H100 SXM; HBM3`,
  ),
  row(
    'GB200, one GPU',
    /\bGB200\b/,
    {
      arch: 'sm100',
      bandwidth: 8000,
      vector: { fp64: 40, fp32: 80 },
      matrix: { tf32: 1250, ...both(2500), fp8: 5000, fp4: 10000, int8: 5000 },
    },
    `NVIDIA Blackwell datasheet ${HALVED}`,
  ),
  row(
    'B200',
    /\bB200\b/,
    {
      arch: 'sm100',
      bandwidth: 8000,
      vector: { fp64: 37, fp32: 75 },
      matrix: { tf32: 1125, ...both(2250), fp8: 4500, fp4: 9000, int8: 4500 },
    },
    'NVIDIA Blackwell datasheet, HGX B200 (halved, because it states sparse figures; 7700 to 8000 GB/s)',
  ),
  row(
    'B300',
    /\bB300\b/,
    {
      arch: 'sm103',
      bandwidth: 8000,
      vector: { fp64: 1.25, fp32: 75 },
      matrix: { tf32: 1125, ...both(2250), fp8: 4500 },
    },
    `NVIDIA Blackwell Ultra datasheet, HGX B300 ${HALVED}; no rates for FP4 and INT8, because published figures disagree`,
  ),
  row(
    'RTX 2080 Ti',
    /RTX 2080 Ti/,
    { arch: 'sm75', bandwidth: 616, vector: { fp32: 13.4 }, matrix: { fp16: 53.8, int8: 215.2 }, halfSums: 107.6 },
    'NVIDIA Turing whitepaper',
  ),
  row(
    'RTX 3080',
    /RTX 3080(?! Ti| Laptop)/,
    { arch: 'sm86', bandwidth: 760, cache: 5, memory: [9, 11], matrix: both(59.5) },
    'calculated from a device record: 68 SM x 1.71 GHz x 512; cache: device records',
  ),
  row(
    'RTX 3090',
    /RTX 3090(?! Ti)/,
    { arch: 'sm86', bandwidth: 936, cache: 6, vector: { fp32: 35.6 }, matrix: both(71), halfSums: 142 },
    'NVIDIA Ampere GA102 whitepaper; cache: device records',
  ),
  row(
    'RTX 4090',
    /RTX 4090(?! D| Laptop)/,
    {
      arch: 'sm89',
      bandwidth: 1008,
      vector: { fp32: 82.6 },
      matrix: { tf32: 82.6, ...both(165.2), fp8: 330.3, int8: 660.6 },
      halfSums: 330.3,
    },
    'NVIDIA Ada whitepaper',
  ),
  row(
    'RTX 5090',
    /RTX 5090(?! D| Laptop)/,
    { arch: 'sm120', bandwidth: 1792, matrix: { ...both(209.5), fp8: 419, fp4: 1676 }, halfSums: 419 },
    'NVIDIA RTX Blackwell whitepaper; FP16 checked: 170 SM x 2.407 GHz x 512',
  ),
  row(
    'MI100',
    /MI100/,
    {
      arch: 'gfx908',
      bandwidth: 1229,
      vector: { fp64: 11.5, fp32: 23.1 },
      matrix: { fp32: 46.1, fp16: 184.6, bf16: 92.3, int8: 184.6 },
    },
    'AMD Instinct MI100 specifications, as printed at its launch; FP16 checked: 120 CU x 1.502 GHz x 1024',
  ),
  row('MI210', /MI210/, cdna2(181), 'AMD Instinct MI210 brochure; FP32 packed; FP16 checked: 104 CU x 1.7 GHz x 1024'),
  row(
    'MI250X, one GCD',
    /MI250X(?!\s?\/)/,
    cdna2(191.5),
    'AMD, Instinct MI200 specifications, halved: one of its two dies is a device; FP32 packed; torchtitan agrees',
  ),
  row(
    'MI250, one GCD',
    // The patterns are also used in a script, and Python allows only look-behinds of a fixed length.
    /(?<!MI250X \/ )(?<!MI250X\/ )(?<!MI250X \/)(?<!MI250X\/)MI250(?!X)/,
    cdna2(181),
    'AMD, MI250 microarchitecture (ROCm), halved: one of its two dies is a device; FP32 packed',
  ),
  row(
    'MI300A',
    /MI300A/,
    {
      arch: 'gfx942',
      bandwidth: 5300,
      cache: 256,
      unnamed: [228, 110, 130],
      vector: { fp64: 61.3, fp32: 122.6 },
      matrix: { fp64: 122.6, fp32: 122.6, tf32: 490.3, ...both(980.6), fp8: 1961.2, int8: 1961.2 },
    },
    'AMD Instinct MI300A datasheet, as in PyTorch device_info.py; FP16 checked: 228 CU x 2.1 GHz x 2048; cache: AMD, GPU hardware specifications (ROCm)',
  ),
  row('MI300X', /MI300X/, { ...MI300X, bandwidth: 5300, unnamed: [304, 190, 193] }, MI300X_SOURCE),
  row(
    'MI308X',
    /MI308X/,
    { arch: 'gfx942', bandwidth: null, cache: 256, unnamed: [80, 190, 193], matrix: {} },
    'public tables disagree on its rates and its bandwidth, and no datasheet gives them; cache: that of MI300X',
  ),
  row(
    'MI325X',
    /MI325X/,
    { ...MI300X, bandwidth: 6000, unnamed: [304, 250, 258] },
    `AMD Instinct MI325X datasheet; computes as MI300X: ${MI300X_SOURCE}`,
  ),
  row(
    'MI350X',
    /MI350X/,
    {
      arch: 'gfx950',
      bandwidth: 8000,
      cache: 256,
      vector: { fp64: 72.1, fp32: 144.2 },
      matrix: { fp64: 72.1, fp32: 144.2, ...both(2309.6), fp8: 4614, fp4: 9227.5, int8: 4614 },
    },
    'AMD Instinct MI350X brochure, as in PyTorch device_info.py; FP4: twice FP8 (the brochure prints 9.2 PFLOP/s); FP16 checked: 256 CU x 2.2 GHz x 4096 is 0.1 % less; cache: AMD, GPU hardware specifications (ROCm)',
  ),
  row(
    'MI355X',
    /MI355X/,
    {
      arch: 'gfx950',
      bandwidth: 8000,
      cache: 256,
      vector: { fp64: 78.6, fp32: 157.3 },
      matrix: { fp64: 78.6, fp32: 157.3, ...both(2516.6), fp8: 5033.2, fp4: 10066.3, int8: 5033.2 },
    },
    'AMD, CDNA 4 white paper, as in XProf hardware_type_utils.cc: 256 CU x 2.4 GHz x 4096; FP4: twice FP8 (the paper prints 10.1 PFLOP/s); cache: AMD, GPU hardware specifications (ROCm)',
  ),
  radeon('Radeon PRO W6800', /\bW6800\b/, { arch: 'gfx1030', fp16: null, bandwidth: 512, cache: 128 }),
  radeon('Radeon PRO W7900', /\bW7900\b/, { arch: 'gfx1100', fp16: 122.6, bandwidth: 864, cache: 96 }),
  radeon('Radeon PRO W7800 48GB', /\bW7800\b/, {
    ...{ arch: 'gfx1100', fp16: 90.5, bandwidth: 864, cache: 96 },
    memory: [44, 50],
  }),
  radeon('Radeon PRO W7800', /\bW7800\b/, { arch: 'gfx1100', fp16: 90.5, bandwidth: 576, cache: 64 }),
  radeon('Radeon PRO W7700', /\bW7700\b/, { arch: 'gfx1101', fp16: null, bandwidth: 576, cache: 64 }),
  radeon('RX 7900 XTX', /\b7900 XTX\b/, {
    ...{ arch: 'gfx1100', fp16: 122.8, bandwidth: 960, cache: 96 },
    from: 'Wikipedia, RDNA 3',
  }),
  radeon('RX 7900 XT', /\b7900 XT\b/, { arch: 'gfx1100', fp16: 103, bandwidth: 800, cache: 80 }),
  radeon('RX 7900 GRE', /\b7900 GRE\b/, { arch: 'gfx1100', fp16: 91.96, bandwidth: 576, cache: 64 }),
  radeon('RX 7800 XT', /\b7800 XT\b/, { arch: 'gfx1101', fp16: 74.65, bandwidth: 624, cache: 64 }),
  radeon('RX 7700 XT', /\b7700 XT\b/, { arch: 'gfx1101', fp16: 70.34, bandwidth: 432, cache: 48 }),
  radeon('RX 9070 XT', /\b9070 XT\b/, { arch: 'gfx1201', fp16: 97.32, bandwidth: 640, cache: 64 }),
  radeon('RX 9070', /\b9070\b(?! GRE)/, { arch: 'gfx1201', fp16: 72.25, bandwidth: 640, cache: 64 }),
  radeon('RX 9060 XT', /\b9060 XT\b/, { arch: 'gfx1200', fp16: 51.28, bandwidth: 320, cache: 32 }),
  radeon('Radeon AI PRO R9700', /\bR9700\b/, { arch: 'gfx1201', fp16: 95.7, bandwidth: 640, cache: 64 }),
  // By default, a stack of the two is one device. The name does not show this, but the memory size does.
  row(
    'Max 1550, one stack',
    /GPU Max 1550/,
    {
      ...{ arch: 'xe-hpc', bandwidth: 1638, memory: [50, 66], vector: { fp64: 26.2, fp32: 26.2 } },
      matrix: { tf32: 209.7, ...both(419.4), int8: 838.9 },
    },
    `${XE_HPC} x 64 cores x 1.6 GHz; bandwidth: half of the board's, Intel XPU backend for Triton`,
  ),
  row(
    'Max 1550',
    /GPU Max 1550/,
    {
      ...{ arch: 'xe-hpc', bandwidth: 3277, memory: [100, 130], vector: { fp64: 52.4, fp32: 52.4 } },
      matrix: { tf32: 419.4, ...both(838.9), int8: 1677.7 },
    },
    `${XE_HPC} x 128 cores x 1.6 GHz; bandwidth: Intel XPU backend for Triton`,
  ),
  row(
    'Max 1100',
    /GPU Max 1100/,
    {
      ...{ arch: 'xe-hpc', bandwidth: 1229, vector: { fp64: 22.2, fp32: 22.2 } },
      matrix: { tf32: 177.8, ...both(355.5), int8: 711.1 },
    },
    `${XE_HPC} x 56 cores x 1.55 GHz; PyTorch device_info.py agrees, also on the bandwidth, but has half the FP64`,
  ),
  row(
    'Gaudi 2',
    /\bGaudi ?2\b|^HL-225/i,
    { arch: 'gaudi2', bandwidth: 2460, vector: { bf16: 11 }, matrix: { bf16: 432, fp8: 865 } },
    'Intel, Gaudi 3 at Hot Chips 2024; FP8 and vector units: Gaudi 3 white paper',
  ),
  row(
    'Gaudi 3',
    /\bGaudi ?3\b|^HL-3[23]\d/i,
    { arch: 'gaudi3', bandwidth: 3670, vector: { bf16: 28.7 }, matrix: { bf16: 1835, fp8: 1835 } },
    'Intel, Gaudi 3 at Hot Chips 2024: BF16 at the rate of FP8',
  ),
  row(
    'MTIA v1',
    /^MTIA v?1\b/i,
    { arch: 'mtia-v1', bandwidth: 176, matrix: { ...both(51.2), int8: 102.4 } },
    'Meta, next-generation MTIA (2024), table of both generations',
  ),
  row(
    'MTIA 2i',
    /^MTIA (v?2|2i)\b/i,
    { arch: 'mtia-v2', bandwidth: 204.8, matrix: { ...both(177), int8: 354 } },
    'Meta, next-generation MTIA (2024), table of both generations; dense',
  ),
  row(
    'Trainium or Inferentia2, one core',
    /^(Trainium|Inferentia2|Trainium or Inferentia2)$/,
    { arch: 'nc-v2', bandwidth: 410, matrix: { fp32: 23, tf32: 92, ...both(92), fp8: 92 } },
    "AWS, NeuronCore-v2 architecture; bandwidth: half of the chip's, as the vendor's tool has it",
  ),
  row(
    'Trainium2, one core',
    /^Trainium2$/,
    { arch: 'nc-v3', bandwidth: 716, matrix: { fp32: 20, tf32: 78.6432, ...both(78.6432), fp8: 158 } },
    'AWS, NeuronCore-v3 architecture; BF16: 2 x 128 x 128 x 2.4 GHz; bandwidth: one stack, as captures have it',
  ),
  row(
    'Trainium3, one core',
    /^Trainium3$/,
    { arch: 'nc-v4', bandwidth: null, matrix: { fp32: 20, tf32: 79, ...both(79), fp8: 315, fp4: 315 } },
    'AWS, NeuronCore-v4 architecture',
  ),
  tpu('TPU v4', /^TPU v4$/, { arch: 'tpu-v4', bandwidth: 1200, matrix: { bf16: 275, int8: 275 } }),
  tpu('TPU v5e', /^TPU v5 ?(?:lite|e)/i, { arch: 'tpu-v5e', bandwidth: 819, matrix: { bf16: 197, int8: 393 } }),
  tpu(
    'TPU v5p',
    /^TPU v5p?$/i,
    { arch: 'tpu-v5p', bandwidth: 2765, matrix: { bf16: 459, int8: 918 } },
    '; INT8: JAX tpu_info.py',
  ),
  tpu('TPU v6e', /^TPU v6 ?(?:lite|e)/i, { arch: 'tpu-v6e', bandwidth: 1638, matrix: { bf16: 918, int8: 1836 } }),
  tpu(
    'TPU7x, one of its two cores',
    /^TPU ?v?7/i,
    { arch: 'tpu-v7', bandwidth: 3690, matrix: { bf16: 1153.5, fp8: 2307 } },
    ', halved: one of its two cores is a device',
  ),
  row(
    'Ascend 910A',
    /^Ascend ?910A$/,
    { arch: 'ascend910a', bandwidth: null, cache: 32, matrix: { fp16: 256, int8: 512 } },
    "Huawei, Ascend 910 (Hot Chips 31); platform configuration of CANN's runtime: 32 cubes x 1 GHz x 8192 is 262",
  ),
  ascend910b('Ascend 910B1', /^Ascend ?910B1$/, 24, 1.85, 192),
  ascend910b('Ascend 910B2C', /^Ascend ?910B2C$/, 24, 1.8, 192),
  ascend910b('Ascend 910B3', /^Ascend ?910B3$/, 20, 1.8, 192),
  ascend910b('Ascend 910B4', /^Ascend ?910B4$/, 20, 1.5, 96),
  row(
    'Ascend 310P3',
    /^Ascend ?310P3$/,
    { arch: 'ascend310p', bandwidth: null, cache: 16, matrix: cubes(8, 1.06, false) },
    "platform configuration of CANN's runtime: 8 cubes x 1.06 GHz x 8192",
  ),
];
