import { expect } from 'chai';
import { matrixTypes } from '../../../src/ops/kernels/matrix-unit.js';
import { deviceNamed, parseDevice, unknownDevice } from '../../../src/prof/roofline/device-choice.js';
import { rowOf, NO_PEAKS, peaksOf } from '../../../src/prof/roofline/peaks.js';
import { DEVICES } from '../../../src/prof/roofline/devices.js';
import { UserError } from '../../../src/record/errors.js';
import { device } from '../../support/devices.js';

describe('device table', () => {
  /** Names and sizes as drivers report them in real profiles. */
  const names: readonly (readonly [name: string, memBytes: number | null, row: string | null])[] = [
    ['NVIDIA H100 80GB HBM3', 85018279936, 'H100 SXM'],
    ['NVIDIA H100 PCIe', 85018279936, 'H100 PCIe'],
    ['NVIDIA H100 NVL', null, 'H100 NVL'],
    ['NVIDIA H200', 150121545728, 'H200'],
    ['NVIDIA H200 NVL', null, null],
    ['NVIDIA A100-PG509-200', 42297524224, 'A100 40GB'],
    ['NVIDIA A100-PG509-200', null, null],
    ['NVIDIA A100-SXM4-40GB', 42505273344, 'A100 40GB'],
    ['NVIDIA A100-SXM4-80GB', null, 'A100 SXM 80GB'],
    ['NVIDIA A100 80GB PCIe', 85031714816, 'A100 PCIe 80GB'],
    ['A100-PCIE-40GB', 42297524224, 'A100 40GB'],
    ['NVIDIA A100-SXM4-40GB MIG 3g.20gb', 20000000000, null],
    ['Tesla V100-DGXS-32GB', 34084028416, 'V100 SXM2'],
    ['Tesla V100-SXM2-16GB', null, 'V100 SXM2'],
    ['Tesla V100-PCIE-32GB', null, 'V100 PCIe'],
    ['Tesla T4', null, 'T4'],
    ['NVIDIA T400', null, null],
    ['NVIDIA L4', null, 'L4'],
    ['NVIDIA L40S', null, 'L40S'],
    ['NVIDIA L40', null, 'L40'],
    ['NVIDIA A10', null, 'A10'],
    ['NVIDIA A10G', null, null],
    ['NVIDIA B200', 191503138816, 'B200'],
    ['NVIDIA GB200', null, 'GB200, one GPU'],
    ['NVIDIA GH200 480GB', 102005473280, 'GH200 96GB'],
    ['NVIDIA GH200 144G HBM3e', null, 'GH200 144GB'],
    ['NVIDIA B300 SXM6 AC', null, 'B300'],
    ['NVIDIA GB300', null, null],
    ['NVIDIA GeForce RTX 3080', 10736893952, 'RTX 3080'],
    ['NVIDIA GeForce RTX 3080 Ti', 12884901888, null],
    ['NVIDIA GeForce RTX 3090', 25307578368, 'RTX 3090'],
    ['NVIDIA GeForce RTX 4090', null, 'RTX 4090'],
    ['NVIDIA GeForce RTX 4090 D', null, null],
    ['AMD Instinct MI300X', 206141652992, 'MI300X'],
    ['AMD Instinct MI300X VF', 205571227648, 'MI300X'],
    ['AMD Instinct MI350X', null, 'MI350X'],
    ['AMD Instinct MI355X', null, 'MI355X'],
    ['AMD Instinct MI210', 68702699520, 'MI210'],
    ['AMD Instinct MI250X / MI250', null, null],
    ['AMD Instinct MI250X', 68702699520, 'MI250X, one GCD'],
    ['AMD Instinct MI250', 68702699520, 'MI250, one GCD'],
    ['AMD Instinct MI100', null, 'MI100'],
    ['AMD Instinct MI300A', null, 'MI300A'],
    ['AMD Instinct MI308X', null, 'MI308X'],
    ['AMD Instinct MI325X', null, 'MI325X'],
    ['AMD Radeon PRO W7800', 32195477504, 'Radeon PRO W7800'],
    ['AMD Radeon PRO W7800', null, 'Radeon PRO W7800'],
    ['AMD Radeon PRO W7800 48GB', null, 'Radeon PRO W7800 48GB'],
    ['Radeon Pro W7900', null, 'Radeon PRO W7900'],
    ['AMD Radeon PRO W6800', null, 'Radeon PRO W6800'],
    ['AMD Radeon RX 7900 XTX', null, 'RX 7900 XTX'],
    ['Radeon RX 7900 XT', null, 'RX 7900 XT'],
    ['AMD Radeon RX 7900 GRE', null, 'RX 7900 GRE'],
    ['AMD Radeon RX 9070 XT', null, 'RX 9070 XT'],
    ['AMD Radeon RX 9070', null, 'RX 9070'],
    ['AMD Radeon RX 9070 GRE', null, null],
    ['AMD Radeon AI PRO R9700', null, 'Radeon AI PRO R9700'],
    ['Intel(R) Data Center GPU Max 1550', 68719476736, 'Max 1550, one stack'],
    ['Intel(R) Data Center GPU Max 1550', 137438953472, 'Max 1550'],
    ['Intel(R) Data Center GPU Max 1550', null, null],
    ['Intel(R) Data Center GPU Max 1100', null, 'Max 1100'],
    ['HL-225', null, 'Gaudi 2'],
    ['HL-325L', null, 'Gaudi 3'],
    ['MTIA 2i', null, 'MTIA 2i'],
    ['Ascend910A', null, 'Ascend 910A'],
    ['Ascend910B3', null, 'Ascend 910B3'],
    ['Ascend910B', null, null],
    ['Ascend310P3', null, 'Ascend 310P3'],
    ['Some other part', null, null],
  ];
  for (const [name, memBytes, expected] of names) {
    it(`${name}${memBytes === null ? '' : `, ${(memBytes / 1e9).toFixed(0)} GB`}: ${expected ?? 'not in it'}`, () => {
      expect(rowOf(name, memBytes)?.name ?? null).to.equal(expected);
    });
  }

  it('is in base units: FLOP/s, bytes/s, bytes', () => {
    const a100 = peaksOf(device('NVIDIA A100-SXM4-40GB', { memBytes: 42297524224 }));
    expect(a100).to.deep.include({ origin: 'table', arch: 'sm80', bytesPerS: 1555e9, cacheBytes: 41943040 });
    expect(a100.matrix).to.deep.include({ bf16: 312e12, tf32: 156e12, fp64: 19.5e12, int8: 624e12 });
    expect(a100.vector).to.deep.include({ fp32: 19.5e12, fp64: 9.7e12 });
  });

  it('has dense rates, a source each, and only what the unit multiplies', () => {
    for (const { name, arch, matrix, vector, source } of DEVICES) {
      expect(source, name).to.have.length.above(3);
      expect(matrixTypes(arch), name).to.include.members(Object.keys(matrix));
      for (const rate of [...Object.values(matrix), ...Object.values(vector)]) {
        expect(rate, name).to.be.within(1e12, 1.1e16);
      }
      // A sparse figure beside a dense one would break these ratios. Neuron's and Gaudi's have ratios of their own.
      if (/^(nc-|gaudi)/.test(arch)) continue;
      const { bf16 = NaN, fp16 = bf16, tf32, fp8 } = matrix;
      if (tf32 !== undefined) expect(fp16 / tf32, name).to.be.within(1.97, 2.03);
      if (fp8 !== undefined) expect(fp8 / fp16, name).to.be.within(1.97, 2.03);
    }
  });

  it("has AMD's rates as units, clock and operations per clock give them, and no unit where there is none", () => {
    // Compute units and GHz as AMD prints them; FP16 operations per clock and unit: 1024 of CDNA 1 and 2, 2048 of CDNA 3,
    // 512 of RDNA 3, 1024 of RDNA 4.
    const parts: readonly (readonly [name: string, units: number, ghz: number, perClock: number])[] = [
      ['AMD Instinct MI100', 120, 1.502, 1024],
      ['AMD Instinct MI210', 104, 1.7, 1024],
      ['AMD Instinct MI250X', 110, 1.7, 1024],
      ['AMD Instinct MI300A', 228, 2.1, 2048],
      ['AMD Instinct MI350X', 256, 2.2, 4096],
      ['AMD Radeon RX 7900 XTX', 96, 2.498, 512],
      ['AMD Radeon RX 7900 XT', 84, 2.394, 512],
      ['AMD Radeon RX 7900 GRE', 80, 2.245, 512],
      ['AMD Radeon RX 7800 XT', 60, 2.43, 512],
      ['AMD Radeon RX 7700 XT', 54, 2.544, 512],
      ['AMD Radeon PRO W7800', 70, 2.525, 512],
      ['AMD Radeon RX 9070 XT', 64, 2.97, 1024],
      ['AMD Radeon RX 9070', 56, 2.52, 1024],
      ['AMD Radeon RX 9060 XT', 32, 3.13, 1024],
      ['AMD Radeon AI PRO R9700', 64, 2.92, 1024],
    ];
    for (const [name, units, ghz, perClock] of parts) {
      const { fp16 = NaN } = rowOf(name, null)?.matrix ?? {};
      expect(fp16 / 1e9, name).to.be.closeTo(units * ghz * perClock, units * ghz * perClock * 0.005);
    }
    // Per clock and unit, the vector units of RDNA 3 and 4 do 512 FP16 and 256 FP32 operations; RDNA 4 doubles INT8 and FP8.
    const rx9070xt = rowOf('AMD Radeon RX 9070 XT', null);
    expect((rx9070xt?.vector.fp32 ?? NaN) / 1e9).to.be.closeTo(64 * 2.97 * 256, 20);
    expect((rx9070xt?.matrix.int8 ?? NaN) / 1e9).to.be.closeTo(64 * 2.97 * 2048, 20);
    expect(rowOf('AMD Radeon RX 7900 XTX', null)).to.deep.include({
      vector: { fp32: 61.4e12, fp16: 122.8e12 },
      matrix: { fp16: 122.8e12, bf16: 122.8e12, int8: 122.8e12 },
    });
    expect(rowOf('AMD Instinct MI100', null)?.matrix).to.include({ bf16: 92.3e12 });
    expect(matrixTypes('gfx1030')).to.deep.equal([]);
    expect(matrixTypes('gfx1100')).to.not.include('fp8');
    expect(matrixTypes('gfx1201')).to.include('fp8');
  });

  it('leaves out what no source gives, and says so', () => {
    for (const name of ['AMD Radeon PRO W6800', 'AMD Radeon PRO W7700']) {
      const row = rowOf(name, null);
      expect(row, name).to.deep.include({ vector: {}, matrix: {} });
      expect(row?.source, name).to.match(/^no source gives its rates; bandwidth: /);
    }
    const record = { memBytesPerS: 5.3e12 };
    expect(peaksOf(device('AMD Instinct MI308X'))).to.deep.include({ bytesPerS: null, vector: {}, matrix: {} });
    expect(peaksOf(device('AMD Instinct MI308X', record))).to.include({ bytesPerS: 5.3e12 });
  });

  it("has Google's bandwidths and those of Intel's Gaudi as their tables print them", () => {
    const bandwidths = [
      ['TPU v6e', 1638],
      ['TPU7x', 7380 / 2],
      ['HL-225', 2460],
      ['HL-325L', 3670],
    ] as const;
    for (const [name, gigabytes] of bandwidths) expect(rowOf(name, null)?.bytesPerS, name).to.equal(gigabytes * 1e9);
  });

  it("has Intel's and Meta's rates as their units give them", () => {
    // 4096 BF16 and 256 FP32 operations per clock and Xe core. Meta prints dense rates.
    const max = rowOf('Intel(R) Data Center GPU Max 1550', 137438953472);
    expect((max?.matrix.bf16 ?? NaN) / 1e12).to.be.closeTo((128 * 1.6 * 4096) / 1e3, 0.1);
    expect((max?.vector.fp32 ?? NaN) / 1e12).to.be.closeTo((128 * 1.6 * 256) / 1e3, 0.1);
    expect(rowOf('Intel(R) Data Center GPU Max 1100', null)?.matrix.tf32).to.equal(177.8e12);
    expect(rowOf('MTIA 2i', null)).to.deep.include({
      bytesPerS: 204.8e9,
      matrix: { fp16: 177e12, bf16: 177e12, int8: 354e12 },
    });
    expect(deviceNamed('Max 1550')?.matrix.fp16).to.equal(838.9e12);
  });

  it('has FP16 alone on the first tensor cores', () => {
    for (const name of ['Tesla V100-SXM2-16GB', 'Tesla V100-PCIE-32GB']) {
      expect(Object.keys(rowOf(name, null)?.matrix ?? {})).to.deep.equal(['fp16']);
    }
    expect(rowOf('Tesla T4', null)?.matrix).to.not.have.property('bf16');
  });
});

describe('peaks of a part that is not in the table', () => {
  it('are by formula where the record has units and clock, and say so', () => {
    // 28 SM · 1.777 GHz · 512 FLOP = 25.475 TFLOP/s of FP16; 28 · 1.777 · 256 = 12.737 of FP32.
    const record = { arch: 'sm86', units: 28, clockHz: 1777000000, memBytesPerS: 360048000000 };
    const rtx3060 = peaksOf(device('NVIDIA GeForce RTX 3060', record));
    expect(rtx3060).to.include({ origin: 'formula', bytesPerS: 360048000000, cacheBytes: null });
    expect(rtx3060.source).to.match(/^formula: 28 units x 1.78 GHz/);
    expect(rtx3060.matrix.fp16).to.equal(28 * 1777000000 * 512);
    expect(rtx3060.matrix.tf32).to.equal(28 * 1777000000 * 256);
    expect(rtx3060.vector.fp32).to.equal(28 * 1777000000 * 256);
    expect(rtx3060.matrix).to.not.have.property('fp64');
  });

  /** Units and boost clock give the rates that vendors print. */
  const formula: readonly (readonly [arch: string, name: string, units: number, clockHz: number, tflops: number])[] = [
    ['sm70', 'V', 80, 1.53e9, 125.3],
    ['sm75', 'T', 40, 1.59e9, 65.1],
    ['sm80', 'A', 108, 1.41e9, 311.9],
    ['sm86', 'A10-like', 72, 1.695e9, 125],
    ['sm90', 'H', 132, 1.83e9, 989.4],
    ['sm100', 'B', 148, 1.855e9, 2249],
    ['sm89', 'GeForce G', 128, 2.52e9, 165.2],
    ['gfx942', 'M', 304, 2.1e9, 1307.4],
    ['gfx950', 'M', 256, 2.4e9, 2516.6],
    ['gfx908', 'M', 120, 1.502e9, 184.6],
    ['ascend910b', 'Ascend910B', 24, 1.8e9, 353.9],
  ];
  for (const [arch, name, units, clockHz, tflops] of formula) {
    it(`${units} units of ${arch} at ${clockHz / 1e9} GHz do ${tflops} TFLOP/s of FP16 products`, () => {
      const { matrix } = peaksOf(device(name, { arch, units, clockHz }));
      expect((matrix.fp16 ?? NaN) / 1e12).to.be.closeTo(tflops, tflops * 0.001);
    });
  }

  it('are unknown without units, clock or architecture', () => {
    const record = { arch: 'sm90', units: 132, memBytesPerS: 1e12 };
    expect(peaksOf(device('Part', record))).to.deep.include({ origin: 'formula', bytesPerS: 1e12, matrix: {} });
    expect(peaksOf(device('Part', { units: 4, clockHz: 1e9 }))).to.deep.include({ origin: 'none', bytesPerS: null });
    expect(peaksOf(device(null))).to.include({ origin: 'none', bytesPerS: null });
    expect(peaksOf(null)).to.equal(NO_PEAKS);
  });

  it('are those of the only part that a record without a name can be of, and say so', () => {
    const record = { arch: 'gfx942', units: 304, memBytes: 206141652992 };
    const mi300x = peaksOf(device(null, record));
    expect(mi300x).to.include({ origin: 'inferred', name: 'MI300X (inferred)', bytesPerS: 5300e9 });
    expect(mi300x.source).to.match(
      /^the profile does not name the device; inferred from gfx942, 304 units and 206 GB; /,
    );
    expect(mi300x.matrix).to.include({ bf16: 1307.4e12 });
    for (const [other, name] of [
      [{ memBytes: 274.9e9 }, 'MI325X (inferred)'],
      [{ memBytes: 137.4e9, units: 228 }, 'MI300A (inferred)'],
      [{ units: 80 }, 'MI308X (inferred)'],
    ] as const) {
      expect(peaksOf(device(null, { ...record, ...other })).name).to.equal(name);
    }
    const generic = peaksOf(device('gfx942', record));
    expect(generic).to.include({ origin: 'inferred', name: 'MI300X (inferred)' });
    expect(generic.source).to.match(/^'gfx942' is not a part's name; inferred from gfx942, 304 units and 206 GB; /);
    // MI300A's units have 128 GB; a gfx950 of 304 units is not known.
    for (const other of [{ memBytes: null }, { units: 228 }, { arch: 'gfx950' }]) {
      expect(peaksOf(device(null, { ...record, ...other })), JSON.stringify(other)).to.include({ origin: 'none' });
    }
    expect(peaksOf(device('Part', record))).to.include({ origin: 'none' });
  });

  it('take only the bandwidth of the record where the table lacks it', () => {
    const a800 = peaksOf(device('NVIDIA A800-SXM4-80GB', { memBytesPerS: 2039e9 }));
    expect(a800).to.include({ origin: 'table', bytesPerS: 2039e9 });
    expect(a800.source).to.match(/; bandwidth: the profile$/);
  });
});

describe('--peaks', () => {
  it('takes a name as the table or a driver writes it', () => {
    for (const name of ['H100 SXM', 'h100-sxm', 'NVIDIA H100 80GB HBM3']) {
      expect(deviceNamed(name)).to.include({ name: 'H100 SXM', origin: 'given', bytesPerS: 3350e9 });
    }
    expect(deviceNamed('H100 SMX')).to.equal(null);
    expect(unknownDevice('H100 SMX').line).to.match(/unknown device 'H100 SMX'.* \(did you mean 'H100 SXM'\?\)/);
    expect(unknownDevice('abacus').line).to.match(/\(dprof --devices lists them\)/);
    expect(unknownDevice(' ').line).to.match(/\(dprof --devices lists them\)/);
    expect(unknownDevice('h100').line).to.match(/\(did you mean 'H100 PCIe' or 'H100 NVL' or 'H100 SXM'\?\)/);
    expect(unknownDevice('mi300').line).to.match(/\(did you mean 'MI300A' or 'MI300X'\?\)/);
  });

  it('takes the rates of a file', () => {
    const text = '{"name":"Part","bytesPerS":2e12,"peaks":{"matrix":{"bf16":5e14},"vector":{"fp32":4e13}}}';
    expect(parseDevice(text, 'part.json')).to.deep.equal({
      name: 'Part',
      origin: 'given',
      source: 'part.json',
      arch: null,
      bytesPerS: 2e12,
      cacheBytes: null,
      matrix: { bf16: 5e14 },
      vector: { fp32: 4e13 },
    });
  });

  const wrong: readonly (readonly [text: string, complaint: RegExp])[] = [
    ['{', /^d\.json: is not JSON/],
    ['[]', /^d\.json: is not an object/],
    ['{"name":"x","bytesPerS":1e12}', /^d\.json: peaks is missing/],
    ['{"bytesPerS":1e12,"peaks":{}}', /^d\.json: name is missing/],
    ['{"name":"x","peaks":{}}', /^d\.json: bytesPerS is missing/],
    ['{"name":"x","bytesPerS":"fast","peaks":{}}', /^d\.json: bytesPerS is not a number of bytes\/s/],
    ['{"name":"x","bytesPerS":1e12,"peaks":{"matrix":{"bf16":312}}}', /^d\.json: peaks\.matrix\.bf16 is not a number of FLOP\/s \(at least 100000000\)/], // prettier-ignore
    ['{"name":"x","bytesPerS":1e12,"peaks":{"matrix":{"bf61":1e12}}}', /^d\.json: unknown field 'peaks\.matrix\.bf61': expected one of fp64, /], // prettier-ignore
    ['{"name":"x","bytesPerS":1e12,"peaks":{"matrix":3}}', /^d\.json: peaks\.matrix is not an object/],
    [
      '{"name":"x","bytesPerS":1e12,"peaks":{"bf16":3e12}}',
      /^d\.json: unknown field 'peaks\.bf16': expected one of matrix, vector/,
    ],
    ['{"name":"x","bytesPerS":1e12,"peak":{}}', /^d\.json: unknown field 'peak': expected one of name, /],
  ];
  for (const [text, complaint] of wrong) {
    it(`refuses ${text} with one line`, () => {
      expect(() => parseDevice(text, 'd.json'))
        .to.throw(UserError)
        .with.property('line')
        .that.matches(complaint);
    });
  }
});
