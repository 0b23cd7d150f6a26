/** A resource of a function such as `withService` that stays open between tests. */
export interface KeptOpen<T> {
  resource: T;
  close(): Promise<void>;
}

/**
 * Opens a resource for several tests.
 * @param withResource passes the resource to a function and closes it when that function ends
 */
export function keepOpen<T>(
  withResource: (work: (resource: T) => Promise<void>) => Promise<unknown>,
): Promise<KeptOpen<T>> {
  return new Promise((opened, failed) => {
    const closed = withResource(
      (resource) =>
        new Promise((end) => {
          const close = async () => {
            end();
            await closed;
          };
          opened({ resource, close });
        }),
    );
    closed.catch(failed);
  });
}
