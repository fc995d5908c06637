/** Colours of the canvas. A canvas cannot use variables of the style sheet, so their values are read. */
import { elementAt } from '../../../containers/element.js';
import { element } from '../../document/dom-elements.js';
import { PALETTE, SLOTS, STRONG, UNKNOWN } from '../events/event-colours.js';
import { pixelOf, type Rgb } from './pixels.js';

export interface CanvasTheme extends Readonly<Record<ColourName, string>> {
  /** Fill colours by slot and level, see `styleOf`. */
  readonly fills: readonly string[];
  /** The colours as pixels. */
  readonly pixels: Uint32Array;
  /** Colour of the stripe under events that match a search. */
  readonly mark: number;
  /** Colours below the lowest value of a track, and between the lowest and the highest. */
  readonly track: { readonly area: number; readonly edge: number };
  /** Label colours by slot: black or white, whichever has more contrast. */
  readonly labels: readonly string[];
}

/**
 * Opacity of a fill when up to a quarter, a half, three quarters, or all of the pixel is covered; the last one is for fills
 * faded by a search.
 */
const LEVELS = [0.4, 0.6, 0.8, 1, 0.14] as const;
export const FULL = 3;
export const FADED = 4;

/** Share of the accent colour in the area below a track's value. */
const TRACK_AREA = 0.3;

export const styleOf = (slot: number, level: number): number => slot * LEVELS.length + level;
/** Level for a covered share from 0 to 1. */
export const levelOf = (covered: number): number => Math.min(FULL, Math.floor(covered * 4));

const css = ([r, g, b]: Rgb): string => `rgb(${r} ${g} ${b})`;
const mixed = (a: Rgb, b: Rgb, part: number): Rgb => [
  Math.round(a[0] * part + b[0] * (1 - part)),
  Math.round(a[1] * part + b[1] * (1 - part)),
  Math.round(a[2] * part + b[2] * (1 - part)),
];
const hex = (text: string): Rgb => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)) as unknown as Rgb;

/** Relative luminance, https://www.w3.org/TR/WCAG22/#dfn-relative-luminance. */
function luminance(colour: Rgb): number {
  const [r, g, b] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Above a luminance of 0.179, black has more contrast than white. */
const labelOn = (colour: Rgb): string => (luminance(colour) > 0.179 ? '#000' : '#fff');

interface ThemeColour {
  /** Variables of the style sheet; the first that exists is used. */
  readonly names: readonly string[];
  /** The colour when none of them exists. */
  readonly light: Rgb;
  readonly dark: Rgb;
}

const COLOURS = {
  back: { names: ['--bg', '--ground', '--panel'], light: [255, 255, 255], dark: [17, 20, 24] },
  band: { names: ['--panel', '--bg'], light: [255, 255, 255], dark: [24, 28, 33] },
  ink: { names: ['--fg', '--ink'], light: [27, 31, 36], dark: [230, 232, 235] },
  quiet: { names: ['--muted', '--quiet'], light: [87, 96, 106], dark: [158, 166, 175] },
  line: { names: ['--line'], light: [208, 215, 222], dark: [58, 65, 73] },
  accent: { names: ['--accent'], light: [9, 88, 180], dark: [110, 175, 255] },
} as const satisfies Readonly<Record<string, ThemeColour>>;
type ColourName = keyof typeof COLOURS;

const mapped = <T>(valueOf: (colour: ThemeColour, name: ColourName) => T): Readonly<Record<ColourName, T>> => {
  const names = Object.keys(COLOURS) as ColourName[];
  return Object.fromEntries(names.map((name) => [name, valueOf(COLOURS[name], name)])) as Record<ColourName, T>;
};

function themeOf(colours: Readonly<Record<ColourName, Rgb>>): CanvasTheme {
  const { band, quiet, accent } = colours;
  const slots = Array.from({ length: SLOTS }, (_, slot): Rgb => {
    if (slot === UNKNOWN) return mixed(quiet, band, 0.55);
    const strong = hex(elementAt(PALETTE, slot % STRONG));
    return slot < STRONG ? strong : mixed(strong, band, 0.45);
  });
  const fills = slots.flatMap((slot) => LEVELS.map((level) => mixed(slot, band, level)));
  return {
    ...mapped((_, name) => css(colours[name])),
    fills: fills.map(css),
    pixels: Uint32Array.from(fills, pixelOf),
    mark: pixelOf(colours.ink),
    track: { area: pixelOf(mixed(accent, band, TRACK_AREA)), edge: pixelOf(accent) },
    labels: slots.map(labelOn),
  };
}

export const PRINTED = themeOf(mapped(({ light }) => light));

/** Colours as browsers write most of them. */
const RGB = /^rgb\((\d+), (\d+), (\d+)\)$/;

/** Red, green and blue of a colour in any CSS notation; a notation other than `rgb` is read by painting a pixel with it. */
function readColour(colour: string): Rgb | null {
  const parts = RGB.exec(colour)?.slice(1).map(Number);
  if (parts !== undefined) return parts as unknown as Rgb;
  const context = new OffscreenCanvas(1, 1).getContext('2d');
  if (context === null) return null;
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const { data } = context.getImageData(0, 0, 1, 1);
  return [elementAt(data, 0), elementAt(data, 1), elementAt(data, 2)];
}

/** The current theme of an element. */
export function readTheme(place: HTMLElement): CanvasTheme {
  const probe = element('span', { hidden: true });
  place.append(probe);
  const read = ({ names }: ThemeColour, otherwise: Rgb): Rgb => {
    probe.style.color = names.reduceRight((inner, name) => `var(${name}, ${inner})`, css(otherwise));
    return readColour(getComputedStyle(probe).color) ?? otherwise;
  };
  const { ink } = COLOURS;
  const isDark = luminance(read(ink, ink.light)) > 0.3 || (!hasOwn(place) && prefersDark());
  const colours = mapped((colour) => read(colour, isDark ? colour.dark : colour.light));
  probe.remove();
  return themeOf(colours);
}

const prefersDark = (): boolean => matchMedia('(prefers-color-scheme: dark)').matches;
const hasOwn = (place: HTMLElement): boolean =>
  COLOURS.ink.names.some((name) => getComputedStyle(place).getPropertyValue(name).trim() !== '');

/** Calls back when the theme may have changed, and before and after printing. */
export function watchTheme(changed: (isPrinted: boolean) => void, signal: AbortSignal): void {
  const print = matchMedia('print');
  const now = (): void => changed(print.matches);
  const beforePrint = (): void => changed(true);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', now, { signal });
  print.addEventListener('change', now, { signal });
  addEventListener('beforeprint', beforePrint, { signal });
  addEventListener('afterprint', now, { signal });
  const observer = new MutationObserver(now);
  for (const root of [document.documentElement, document.body]) observer.observe(root, { attributes: true });
  signal.addEventListener('abort', () => observer.disconnect());
}
