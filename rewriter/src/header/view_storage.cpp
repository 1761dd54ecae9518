// SPDX-License-Identifier: Apache-2.0
// Which storage a layout gets.
#include "header/view_storage.h"

namespace relayout::rewriter {

std::unique_ptr<ViewStorage> storageFor(const std::vector<PlaneCode> &planes,
                                        const analysis::Layout &layout,
                                        const analysis::AddressFunction &bound,
                                        const std::string &stem, bool mayMove) {
  if (!layout.order.isAsNumbered())
    return orderedStorage(planes, layout, stem);
  return layout.tile == 0 ? pointerStorage(planes, layout, mayMove)
                          : tileStorage(planes, layout, bound);
}

} // namespace relayout::rewriter
