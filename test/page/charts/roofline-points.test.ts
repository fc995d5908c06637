import { expect } from 'chai';
import { placedPoints, rooflineRange, roofLines, type PlacedPoint } from '../../../src/page/charts/roofline-points.js';
import type { DeviceRoof, Roofline } from '../../../src/prof/html/page-data.js';
import { FIXTURE } from '../fixture.js';

const roofline = FIXTURE.profiles[0]?.roofline as Roofline;
const [ROOF] = roofline.roofs as [DeviceRoof];

describe('roofline of a page', () => {
  it('places kernels by FLOP/byte and FLOP/s', () => {
    const [gemm, add] = placedPoints(roofline, 0);
    // 1e12 FLOP over 1e9 bytes in 4 ms: 1000 FLOP/byte, 250 TFLOP/s of 1000, 250 GB/s of 1000.
    expect(gemm).to.deep.include({
      intensity: 1000,
      flopsPerS: 2.5e14,
      ofCompute: 0.25,
      bytesPerS: 2.5e11,
      ofMemory: 0.25,
    });
    // The vector units' peak is not among the roofs.
    expect(add).to.deep.include({ intensity: 0.125, ofCompute: null, ofMemory: 0.8 });
    expect(placedPoints(roofline, 1)).to.deep.equal([]);
  });

  it('leaves out points that logarithmic axes cannot show', () => {
    const [point] = roofline.points;
    const points = [
      { ...point, flops: 0 },
      { ...point, bytes: 0 },
      { ...point, time: 0 },
    ] as Roofline['points'];
    expect(placedPoints({ ...roofline, points }, 0)).to.deep.equal([]);
  });

  it('draws the slope of the memory to the ridge, then the flat roof', () => {
    expect(roofLines(ROOF, 0.1, 10_000)).to.deep.equal([
      {
        name: 'memory',
        line: [
          [0.1, 1e11],
          [1000, 1e15],
        ],
      },
      {
        name: 'bf16 matrix unit',
        line: [
          [1000, 1e15],
          [10_000, 1e15],
        ],
      },
    ]);
  });

  it('has the roofs of all units, and names those of one rate together', () => {
    const units = ['bf16', 'fp16', 'fp8'].map((type) => ({
      name: `${type} matrix unit`,
      flopsPerS: type === 'fp8' ? 2e15 : 1e15,
    }));
    const names = roofLines({ ...ROOF, units }, 0.1, 10_000).map(({ name }) => name);
    expect(names).to.deep.equal(['memory', 'fp8 matrix unit', 'bf16, fp16 matrix unit']);
  });

  it('has flat roofs alone when the memory’s rate is not known', () => {
    const lines = roofLines({ ...ROOF, bytesPerS: null }, 0.1, 10);
    expect(lines).to.deep.equal([
      {
        name: 'bf16 matrix unit',
        line: [
          [0.1, 1e15],
          [10, 1e15],
        ],
      },
    ]);
  });

  describe('range', () => {
    const at = (intensity: number, flopsPerS: number, time: number): PlacedPoint => {
      const flops = (flopsPerS * time) / 1e9;
      const point = { ...(roofline.points[0] as Roofline['points'][number]), flops, bytes: flops / intensity, time };
      const [placed] = placedPoints({ ...roofline, points: [point] }, 0);
      if (placed === undefined) throw new Error('no point');
      return placed;
    };
    const usual = Array.from({ length: 50 }, (_, i) => at(2 + i, 1e12 + 1e10 * (i + 1), 1e6));

    it('is not stretched by points far from the others that take no time', () => {
      const far = [at(1e-7, 2e12, 100), at(5, 1e3, 100)];
      const { inside, outside, intensity, flopsPerS } = rooflineRange([...usual, ...far], [1e15]);
      expect(outside).to.deep.equal(far);
      expect(inside).to.have.length(50);
      expect(intensity).to.deep.equal([1, 10_000]);
      expect(flopsPerS).to.deep.equal([1e12, 1e16]);
    });

    it('has all points that take time, or are near the others', () => {
      const others = [at(1e-7, 2e12, 10e6), at(0.5, 1e11, 1)];
      expect(rooflineRange([...usual, ...others], []).outside).to.deep.equal([]);
      expect(rooflineRange([at(1e-9, 1, 1)], []).outside).to.deep.equal([]);
    });
  });
});
