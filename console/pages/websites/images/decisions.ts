/** Approves and rejects new files. */
import { useEffect, useState } from 'preact/hooks';
import { sitesClient } from '../client.ts';
import type { Approval, ApproveAssetBody, SiteAsset } from '../types.ts';

export type Decisions = ReturnType<typeof useDecisions>;

/** @param list the list as last read */
export function useDecisions(scanId: string, list: unknown) {
  // Images decided on since the list was read. They replace the entries of the list.
  const [decided, setDecided] = useState<ReadonlyMap<number, SiteAsset>>(new Map());
  const [progress, setProgress] = useState<{ done: number; total: number }>();
  const [error, setError] = useState<unknown>();
  // A list that was read later includes the decisions, and newer changes.
  useEffect(() => setDecided(new Map()), [list]);
  /** Sends the decisions one after another. Stops at the first error. */
  const run = async (seqs: readonly number[], body: ApproveAssetBody) => {
    setError(undefined);
    try {
      for (const [done, seq] of seqs.entries()) {
        setProgress({ done, total: seqs.length });
        const asset = await sitesClient.value.scans.approve(scanId, seq, body);
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

/** Returns the decision for a key. Undefined for other keys, and while the user types. */
export function decisionForKey(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'target'>) {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const target = event.target as HTMLElement;
  const isTyping = target.matches?.('select, textarea, input:not([type="checkbox"], [type="radio"])');
  return isTyping ? undefined : KEYS[event.key.toLowerCase()];
}
