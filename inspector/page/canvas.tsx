/**
 * A canvas component that fills its container and is sharp on every screen. It repaints when a signal that its `paint` function reads
 * changes.
 */
import { effect, signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Size } from '../model/chart-shapes.js';
import { theme } from './shell.js';

interface CanvasProps extends Omit<JSX.HTMLAttributes<HTMLCanvasElement>, 'ref'> {
  /** Reads signals; painted again when one of them changes. */
  readonly paint: (ctx: CanvasRenderingContext2D, size: Size) => void;
  readonly label: string;
}

export function Canvas({ paint, label, ...rest }: CanvasProps) {
  const ref = useRef<HTMLCanvasElement>(null);
  const latest = useRef(paint);
  latest.current = paint;
  useEffect(() => {
    const canvas = ref.current!;
    const size = signal<Size>({ width: 0, height: 0 });
    const observer = new ResizeObserver(() => {
      size.value = { width: canvas.clientWidth, height: canvas.clientHeight };
    });
    observer.observe(canvas);
    const stop = effect(() => {
      const { width, height } = size.value;
      if (width > 0 && height > 0 && theme.value) latest.current(sized(canvas, size.value), size.value);
    });
    return () => {
      stop();
      observer.disconnect();
    };
  }, []);
  return <canvas ref={ref} role="img" aria-label={label} tabIndex={0} {...rest} />;
}

/** Gives a canvas a size in CSS pixels, adapted to the screen's pixel density, and clears it. */
export function sized(canvas: HTMLCanvasElement, { width, height }: Size): CanvasRenderingContext2D {
  const density = Math.min(devicePixelRatio || 1, 2);
  const [w, h] = [Math.round(width * density), Math.round(height * density)];
  if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
  const ctx = canvas.getContext('2d')!;
  ctx.setTransform(density, 0, 0, density, 0, 0);
  ctx.clearRect(0, 0, width, height);
  return ctx;
}
