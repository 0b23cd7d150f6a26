/** Approving and rejecting. */
import { useEffect, useState } from 'preact/hooks';
import type { Approval, ApproveAssetBody, SiteAsset } from '../records.ts';
import { sites } from '../requests.ts';

export interface Decisions {
  /** Decided since the list was read; they replace what it holds. */
  decided: ReadonlyMap<number, SiteAsset>;
  /** How many of how many are decided, while that goes on. */
  progress: { done: number; total: number } | undefined;
  error: unknown;
  /** One after the other; stops at the first that is refused. */
  run(seqs: readonly number[], body: ApproveAssetBody): Promise<void>;
}

/** @param list as it was read last */
export function useDecisions(scanId: string, list: unknown): Decisions {
  const [decided, setDecided] = useState<ReadonlyMap<number, SiteAsset>>(new Map());
  const [progress, setProgress] = useState<Decisions['progress']>();
  const [error, setError] = useState<unknown>();
  // What is read after them has them, and what came later.
  useEffect(() => setDecided(new Map()), [list]);
  const run = async (seqs: readonly number[], body: ApproveAssetBody) => {
    setError(undefined);
    try {
      for (const [done, seq] of seqs.entries()) {
        setProgress({ done, total: seqs.length });
        const asset = await sites.value.scans.approve(scanId, seq, body);
        setDecided((before) => new Map(before).set(seq, asset));
      }
    } catch (reason) {
      setError(reason);
    } finally {
      setProgress(undefined);
    }
  };
  return { decided, progress, error, run };
}

const KEYS: Readonly<Record<string, Approval>> = { a: 'approved', r: 'rejected' };

/** What a key decides; undefined for every other, and while something is typed. */
export function decisionOf(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'target'>) {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const target = event.target as HTMLElement;
  const isTyping = target.matches?.('select, textarea, input:not([type="checkbox"], [type="radio"])');
  return isTyping ? undefined : KEYS[event.key.toLowerCase()];
}
