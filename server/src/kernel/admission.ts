// Decides before any work whether there is room for a request. Writes may fill four fifths of the capacity, so that cheap reads
// and health checks still answer while the service is full.
const CAPACITY = 400;

export function admission(capacity = CAPACITY) {
  let inFlight = 0;
  return {
    enter(unsafe: boolean): boolean {
      if (inFlight >= (unsafe ? capacity * 0.8 : capacity)) return false;
      inFlight++;
      return true;
    },
    leave() {
      inFlight--;
    },
    inFlight: () => inFlight,
  };
}
export type Admission = ReturnType<typeof admission>;
